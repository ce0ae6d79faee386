package sim

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// poll is how often a run looks while it waits: rarely, to make thousands of runs
// cheap. What the world goes through between two looks is the same.
const poll = 6 * time.Second

// Run is one run of awsmigrate on a World, as the command line would make it.
type Run struct {
	ID   string
	Undo bool
	// HandOver leaves every edit of the Cluster object to somebody else.
	HandOver bool
	Method   migration.InstallMethod // for RKE2
	Early    bool                    // hands the cloud controllers over before the switch
	Clear    bool                    // as soon as their holder is seen to have ended; goes with Early
	Until    journal.StepID
	// Guard only watches what a run before has begun.
	Guard bool
	// Follow only shows what another run does.
	Follow bool
	// Elsewhere runs on another machine: a dead owner's lock has to be watched.
	Elsewhere bool
	// Attended is by a person who looks at what a run finds; else it is as with --yes.
	Attended bool
	// Asks asks the person whether to begin; nil: the answer is yes.
	Asks      func(context.Context, runner.Proposal) error
	Before    func(Call) Outcome
	After     func(Call)
	Interrupt <-chan struct{}
	Brake     <-chan struct{} // asks for it
	Sink      runner.Sink
	// Recording keeps what the run does, as a session has it do; nil: nobody does.
	Recording *recording.Recording
	Attempt   string // what asked for the run
	// EveryReading sends Sink every reading of a wait.
	EveryReading bool
	Timeout      time.Duration
	Skip         map[string]string // checks, with the reason
	Version      string            // of awsmigrate
	// Saved is a plan that was approved before.
	Saved *runner.WholePlan
	// Clock is the clock of the process; nil: the world's.
	Clock clock.WithTicker
}

// Ended is how a run ended.
type Ended struct {
	Result runner.Result
	Err    error
	Killed bool
	Calls  int
	Writes int
}

// On runs on w, inside a synctest bubble, from the world's own time on.
func (r Run) On(ctx context.Context, w *World) Ended {
	if d := time.Until(w.Now()); d > 0 {
		pass(d) // a bubble begins anew; this costs nothing
	}
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	// No run waits longer than this of simulated time, whatever it waits for.
	ctx, cancel := context.WithTimeout(ctx, 3*time.Hour)
	defer cancel()
	p := &Process{world: w, Before: r.Before, After: r.After, die: cancel}
	ended := Ended{}
	ended.Result, ended.Err = r.run(ctx, w, p)
	ended.Killed, ended.Calls, ended.Writes = p.Dead(), p.calls, p.writes
	return ended
}

func (r Run) run(ctx context.Context, w *World, p *Process) (runner.Result, error) {
	m, home, err := r.open(ctx, w, p)
	if err != nil {
		return runner.Result{}, err
	}
	target := m.Target()
	name := journal.Name(target.Name)
	owner := lock.Owner{User: "alice", Host: "laptop", PID: w.started + 1, Start: epoch, Run: r.ID, Tick: uint64(w.started) + 1}
	table := processTable{here: lock.Place{Boot: "sim", PIDs: "sim"}}
	if r.Elsewhere {
		owner.Host, table.here.Boot = "other-"+r.ID, "other-"+r.ID
	}
	owner.Place = table.here
	lease := lock.NewLease(home, target.Namespace, name, owner, r.Clock)
	lease.Processes = table
	if !r.Elsewhere {
		lease.Witness = sameMachine{}
	}
	kept, err := keptBy(home, p, w, target, r.Clock)
	if err != nil {
		return runner.Result{}, err
	}
	options := runner.Options{
		Poll: poll, RunID: r.ID, Command: "awsmigrate", Who: "alice@laptop", Until: r.Until, Timeout: r.Timeout,
		Journal: kept, Lock: behindRKE{lease, p}, Clock: r.Clock, Sink: r.Sink, EveryReading: r.EveryReading, Interrupt: r.Interrupt, Brake: r.Brake, Saved: r.Saved, Version: r.Version,
		Unattended: !r.Attended, Attempt: r.Attempt,
		Approve: r.Asks,
	}
	if options.Approve == nil {
		options.Approve = func(context.Context, runner.Proposal) error { return nil }
	}
	if r.Recording != nil {
		if options.Sink == nil {
			options.Sink = runner.SinkFunc(func(runner.Event) {})
		}
		options.Sink, options.Journal = r.Recording.Beside(options.Sink, recording.About{Undo: r.Undo, Attempt: r.Attempt}), r.Recording.Keeping(kept, r.ID)
	}
	if r.Follow {
		options.Lock = nil
		held := func(ctx context.Context) (*lock.Held, error) {
			return lock.Look(ctx, home, target.Namespace, name)
		}
		return runner.Follow[migration.Snapshot](ctx, m, held, options)
	}
	if r.Guard {
		record, watched, err := journal.ToWatch(ctx, kept)
		if err != nil {
			return runner.Result{}, err
		}
		options.Journal = watched
		return runner.Guard[migration.Snapshot](ctx, m.Watching(record), options)
	}
	result, err := runner.Run[migration.Snapshot](ctx, unchecked{m}, options)
	r.Recording.KeepBeside(ctx, archive.Store{Client: home, Namespace: target.Namespace, Cluster: target.Name, Clock: r.Clock}, r.ID)
	return result, err
}

// keptBy is the journal of a cluster, counted by the cluster itself where another holds it.
func keptBy(home kubernetes.Interface, p *Process, w *World, target journal.Target, clk clock.Clock) (journal.Journal, error) {
	kept := journal.NewConfigMap(home, target.Namespace, journal.Name(target.Name), target)
	kept.Clock = clk
	if w.mgmt == nil {
		return kept, nil
	}
	cluster, err := kubernetes.NewForConfig(p.config(func(w *World) *server { return w.down }))
	return journal.Counted{Journal: kept, Cluster: cluster, Clock: clk}, err
}

// unchecked leaves out the checks before a first run is approved: the preflight of the
// run makes them again, and the moments of a run are counted from its first write.
type unchecked struct{ *procedure.Migration }

// Precheck implements runner.Procedure.
func (unchecked) Precheck(context.Context, migration.Snapshot, runner.Observation) error { return nil }

func (r Run) open(ctx context.Context, w *World, p *Process) (*procedure.Migration, kubernetes.Interface, error) {
	down := p.config(func(w *World) *server { return w.down })
	kube, err := kubernetes.NewForConfig(down)
	if err != nil {
		return nil, nil, err
	}
	options := migration.Options{InstallMethod: r.Method, Snapshot: !r.HandOver, HandOver: r.HandOver, EarlyHandOver: r.Early, ClearFence: r.Clear, AWS: "off", RunID: r.ID, Skip: r.Skip, Unattended: !r.Attended, OnAudit: r.Recording.Audited}
	if options.InstallMethod == "" {
		options.InstallMethod = migration.InstallHelm
	}
	if w.mgmt == nil {
		return r.openRKE(ctx, p, down, kube, options)
	}
	mgmt := p.config(func(w *World) *server { return w.mgmt })
	home, err := kubernetes.NewForConfig(mgmt)
	if err != nil {
		return nil, nil, err
	}
	management, err := dynamic.NewForConfig(mgmt)
	if err != nil {
		return nil, nil, err
	}
	if w.managed != nil {
		return r.openManaged(ctx, down, kube, management, home, options)
	}
	there, err := dynamic.NewForConfig(down)
	if err != nil {
		return nil, nil, err
	}
	clients := rancher.Clients{Management: management, ManagementKube: home, Downstream: kube, DownstreamDynamic: there, DownstreamConfig: down}
	m, err := rke2.New(ctx, clients, rke2.Options{Options: options, Namespace: fleet, Name: clusterName, EndState: rke2checks.EndAuto}, r.Clock)
	if err != nil {
		return nil, nil, err
	}
	if r.Undo {
		return m.Undo(), home, nil
	}
	return m, home, nil
}

// processTable is the process table of a machine on which every earlier run is
// dead.
type processTable struct{ here lock.Place }

// Self implements lock.Processes.
func (t processTable) Self() (lock.Place, uint64) { return t.here, 1 }

// Alive implements lock.Processes.
func (processTable) Alive(int, uint64) (alive, known bool) { return false, true }

// sameMachine is the memory of a machine on which every earlier run has been.
type sameMachine struct{}

// Note implements lock.Witness.
func (sameMachine) Note(string, string) {}

// Saw implements lock.Witness.
func (sameMachine) Saw(string, string) bool { return true }

// Forget implements lock.Witness.
func (sameMachine) Forget(string) {}

// Violations are what the world's monitor saw.
func (w *World) Violations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.monitor.violations...)
}

func runID(n int) string { return fmt.Sprintf("run-%d", n) }
