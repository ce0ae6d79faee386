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

// pollInterval is long, so that thousands of runs are cheap. The world passes through the same
// states between two polls.
const pollInterval = 6 * time.Second

// Run is one run of awsmigrate on a World, as from the command line.
type Run struct {
	ID   string
	Undo bool
	// HandOver leaves every edit of the Cluster object to another writer.
	HandOver bool
	Method   migration.InstallMethod // for RKE2
	Early    bool                    // hands the cloud controllers over before the switch
	Until    journal.StepID
	// Guard only watches the rollout of a previous run.
	Guard bool
	// Follow only shows another run.
	Follow bool
	// Elsewhere runs on another machine, so that a dead owner's lock must be watched.
	Elsewhere bool
	// Attended is set if a person reads the findings; otherwise the run is as with --yes.
	Attended bool
	// Asks asks the person whether to begin. If nil, the answer is yes.
	Asks         func(context.Context, runner.Proposal) error
	Before       func(Call) Outcome
	After        func(Call)
	Interrupt    <-chan struct{}
	PauseRequest <-chan struct{} // requests a pause of the rollout
	Sink         runner.Sink
	// Recording records the run as a session does, or is nil.
	Recording *recording.Recording
	Attempt   string // the attempt that requested the run
	// EveryReading sends Sink every reading of a wait.
	EveryReading bool
	Timeout      time.Duration
	Skip         map[string]string // reasons by check
	Version      string            // of awsmigrate
	// Saved is a previously approved plan.
	Saved *runner.WholePlan
	// Clock is the clock of the process, or nil for the world's.
	Clock clock.WithTicker
}

// Ended describes the end of a run.
type Ended struct {
	Result runner.Result
	Err    error
	Killed bool
	Calls  int
	Writes int
}

// On runs on w inside a synctest bubble, from the world's time on.
func (r Run) On(ctx context.Context, w *World) Ended {
	if d := time.Until(w.Now()); d > 0 {
		pass(d) // a new bubble starts at the epoch; waiting is free
	}
	if r.Clock == nil {
		r.Clock = clock.RealClock{}
	}
	// The limit of simulated time covers any wait.
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
	kept, err := newJournal(home, p, w, target, r.Clock)
	if err != nil {
		return runner.Result{}, err
	}
	options := runner.Options{
		Poll: pollInterval, RunID: r.ID, Command: "awsmigrate", Who: "alice@laptop", Until: r.Until, Timeout: r.Timeout,
		Journal: kept, Lock: behindRKE{lease, p}, Clock: r.Clock, Sink: r.Sink, EveryReading: r.EveryReading, Interrupt: r.Interrupt, PauseRequest: r.PauseRequest, Saved: r.Saved, Version: r.Version,
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
		options.Sink, options.Journal = r.Recording.WrapSink(options.Sink, recording.About{Undo: r.Undo, Attempt: r.Attempt}), r.Recording.Keeping(kept, r.ID)
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
	r.Recording.KeepRecord(ctx, archive.Store{Client: home, Namespace: target.Namespace, Cluster: target.Name, Clock: r.Clock}, r.ID)
	return result, err
}

// newJournal returns the journal of a cluster. The cluster counts its entries if another cluster
// stores it.
func newJournal(home kubernetes.Interface, p *Process, w *World, target journal.Target, clk clock.Clock) (journal.Journal, error) {
	kept := journal.NewConfigMap(home, target.Namespace, journal.Name(target.Name), target)
	kept.Clock = clk
	if w.mgmt == nil {
		return kept, nil
	}
	cluster, err := kubernetes.NewForConfig(p.config(func(w *World) *server { return w.down }))
	return journal.Counted{Journal: kept, Cluster: cluster, Clock: clk}, err
}

// unchecked skips the checks before the first approval. The preflight repeats them, and tests
// count the moments of a run from its first write.
type unchecked struct{ *procedure.Migration }

// Precheck implements runner.Procedure.
func (unchecked) Precheck(context.Context, migration.Snapshot, runner.Observation) error { return nil }

func (r Run) open(ctx context.Context, w *World, p *Process) (*procedure.Migration, kubernetes.Interface, error) {
	down := p.config(func(w *World) *server { return w.down })
	kube, err := kubernetes.NewForConfig(down)
	if err != nil {
		return nil, nil, err
	}
	options := migration.Options{InstallMethod: r.Method, Snapshot: !r.HandOver, HandOver: r.HandOver, EarlyHandOver: r.Early, AWS: "off", RunID: r.ID, Skip: r.Skip, Unattended: !r.Attended, OnAudit: r.Recording.Audited}
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

// processTable is the process table of a machine on which all earlier runs are dead.
type processTable struct{ here lock.Place }

// Self implements lock.Processes.
func (t processTable) Self() (lock.Place, uint64) { return t.here, 1 }

// Alive implements lock.Processes.
func (processTable) Alive(int, uint64) (alive, known bool) { return false, true }

// sameMachine is the memory of a machine that all earlier runs used.
type sameMachine struct{}

// Note implements lock.Witness.
func (sameMachine) Note(string, string) {}

// Saw implements lock.Witness.
func (sameMachine) Saw(string, string) bool { return true }

// Forget implements lock.Witness.
func (sameMachine) Forget(string) {}

// Violations returns the violations that the world's monitor found.
func (w *World) Violations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.monitor.violations...)
}

func runID(n int) string { return fmt.Sprintf("run-%d", n) }
