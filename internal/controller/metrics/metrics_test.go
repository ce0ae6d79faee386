package metrics

import (
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/build"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

var (
	noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	prod = controller.Key{Namespace: "fleet-default", Name: "prod"}
	test = controller.Key{Namespace: "fleet-default", Name: "test"}
	eu   = controller.Key{Namespace: "fleet-default", Name: "eu"}
)

// process is a process with metrics and a clock that only the test moves.
type process struct {
	*Metrics
	t        *testing.T
	registry *prometheus.Registry
	now      time.Time
	leads    bool
}

func start(t *testing.T) *process {
	p := &process{t: t, registry: prometheus.NewRegistry(), now: noon, leads: true}
	p.Metrics = New(Options{Build: build.Stamp{Version: "v1", Commit: "abc"}, Runs: 5, Now: func() time.Time { return p.now }})
	if err := p.Register(p.registry, func() bool { return p.leads }); err != nil {
		t.Fatal(err)
	}
	return p
}

// scrape returns the lines of a scrape, without comments and metrics of libraries.
func (p *process) scrape() []string {
	p.t.Helper()
	answer := httptest.NewRecorder()
	Handler(p.registry).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if answer.Code != 200 {
		p.t.Fatalf("%d: %s", answer.Code, answer.Body)
	}
	var lines []string
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "awsmigrate_") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// of returns the lines that contain all of these words.
func (p *process) of(words ...string) []string {
	p.t.Helper()
	var lines []string
	for _, line := range p.scrape() {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
			lines = append(lines, line)
		}
	}
	return lines
}

func (p *process) want(words string, want ...string) {
	p.t.Helper()
	if diff := cmp.Diff(want, p.of(strings.Fields(words)...)); diff != "" {
		p.t.Errorf("%s: want (-), got (+):\n%s", words, diff)
	}
}

// shown returns a status as the controller reports it.
func (p *process) shown(state status.State, reason status.Reason) controller.Shown {
	at := status.Moment{State: state, Reason: reason}
	return controller.Shown{State: state, Reason: reason, Distribution: "rke2", Now: v1alpha1.ClusterMigrationStatus{
		Position: "P2", Conditions: at.Conditions(nil, p.now),
		Audit: &v1alpha1.Audit{At: metav1.NewTime(p.now), OK: 70, Warn: 1, Fail: 2, Skip: 10, Unknown: 3},
	}}
}

// stoppedRollout returns the status of a rollout whose first wave stopped.
func stoppedRollout() *v1alpha1.MigrationRolloutStatus {
	return &v1alpha1.MigrationRolloutStatus{
		Counts: v1alpha1.RolloutCounts{Done: 1, Failed: 2, Withdrawn: 3, Waiting: 5},
		Waves:  []v1alpha1.WaveStatus{{Name: "canary", State: "Stopped"}, {Name: "rest", State: "Waiting"}},
	}
}

func waitingSince(step string, at time.Time) runner.Event {
	return runner.Event{Type: runner.StepWaiting, Step: "switch-provider", Waiting: &runner.Wait{For: step, LastProgress: at}}
}

// everything returns one series of each of our metrics.
func everything(t *testing.T) *process {
	p := start(t)
	p.Shown(prod, p.shown(status.Stalled, status.Reverted))
	p.Shown(test, p.shown(status.AwaitingApproval, ""))
	p.Began(prod, controller.Work{Kind: kindRun, Resumed: true})
	p.Happened(prod, runner.Event{Type: runner.StepFinished, Step: "verify", Elapsed: 10 * time.Second})
	p.Happened(prod, runner.Event{Type: runner.RolloutPaused})
	p.Ended(prod, errors.New("broken"))
	p.RolledOut(eu, stoppedRollout())
	p.Began(prod, controller.Work{Kind: kindGuard})
	p.Happened(prod, waitingSince("machines", noon))
	return p
}

// A rollout has series of its clusters and waves until it is deleted.
func TestRolledOut(t *testing.T) {
	p := start(t)
	p.RolledOut(eu, stoppedRollout())
	p.want(`rollout="eu"`,
		`awsmigrate_rollout_clusters{namespace="fleet-default",rollout="eu",state="active"} 0`,
		`awsmigrate_rollout_clusters{namespace="fleet-default",rollout="eu",state="done"} 1`,
		`awsmigrate_rollout_clusters{namespace="fleet-default",rollout="eu",state="failed"} 2`,
		`awsmigrate_rollout_clusters{namespace="fleet-default",rollout="eu",state="waiting"} 5`,
		`awsmigrate_rollout_clusters{namespace="fleet-default",rollout="eu",state="withdrawn"} 3`,
		`awsmigrate_wave_stopped{namespace="fleet-default",rollout="eu",wave="canary"} 1`,
		`awsmigrate_wave_stopped{namespace="fleet-default",rollout="eu",wave="rest"} 0`,
	)
	p.RolledOut(eu, nil)
	p.want(`rollout="eu"`)
}

func TestShown_clusterStates_areExported(t *testing.T) {
	p := start(t)
	p.Shown(prod, p.shown(status.Stalled, status.Reverted))
	p.want(`{ cluster="prod"`,
		`awsmigrate_audit_checks{cluster="prod",namespace="fleet-default",result="fail"} 2`,
		`awsmigrate_audit_checks{cluster="prod",namespace="fleet-default",result="ok"} 70`,
		`awsmigrate_audit_checks{cluster="prod",namespace="fleet-default",result="skip"} 10`,
		`awsmigrate_audit_checks{cluster="prod",namespace="fleet-default",result="unknown"} 3`,
		`awsmigrate_audit_checks{cluster="prod",namespace="fleet-default",result="warn"} 1`,
		`awsmigrate_audit_last_success_timestamp_seconds{cluster="prod",namespace="fleet-default"} 1.7145648e+09`,
		`awsmigrate_cluster_info{cluster="prod",distribution="rke2",namespace="fleet-default",state="Stalled"} 1`,
		`awsmigrate_cluster_position{cluster="prod",namespace="fleet-default"} 2`,
		`awsmigrate_reverted{cluster="prod",namespace="fleet-default"} 1`,
		`awsmigrate_stalled{cluster="prod",namespace="fleet-default",reason="Reverted"} 1`,
	)
	next := p.shown(status.Stalled, status.RolloutPaused)
	next.Distribution, next.Now.Position, next.Now.Audit = "", "unknown", nil // not looked at anew yet
	p.Shown(prod, next)
	p.want(`{ cluster="prod"`,
		`awsmigrate_cluster_info{cluster="prod",distribution="rke2",namespace="fleet-default",state="Stalled"} 1`,
		`awsmigrate_cluster_position{cluster="prod",namespace="fleet-default"} -1`,
		`awsmigrate_reverted{cluster="prod",namespace="fleet-default"} 0`,
		`awsmigrate_stalled{cluster="prod",namespace="fleet-default",reason="BrakePulled"} 1`,
	)
	p.Shown(prod, p.shown(status.Running, ""))
	p.want(`awsmigrate_stalled`)
}

// When its object is deleted, a cluster loses its series, except for a job that still watches.
// Other clusters keep theirs.
func TestGone_deletedObject_endsSeries(t *testing.T) {
	p := everything(t)
	others := len(p.of(`cluster="test"`))
	p.Gone(prod)
	p.want(`{ cluster="prod"`, `awsmigrate_step_last_progress_timestamp_seconds{cluster="prod",namespace="fleet-default",step="switch-provider"} 1.7145648e+09`)
	p.Ended(prod, nil)
	p.want(`{ cluster="prod"`)
	if now := len(p.of(`cluster="test"`)); now != others || now == 0 {
		t.Errorf("%d series of another cluster, before it was %d", now, others)
	}
	p.Gone(test)
	p.want(`{ cluster=`)
	p.Gone(test) // again
}

// A process that does not lead reports only its own jobs.
func TestCollect_notLeader_ownJobsOnly(t *testing.T) {
	p := everything(t)
	p.want("awsmigrate_leader", "awsmigrate_leader 1")
	p.leads = false
	p.want("awsmigrate_leader", "awsmigrate_leader 0")
	p.want(`{ cluster=`, `awsmigrate_step_last_progress_timestamp_seconds{cluster="prod",namespace="fleet-default",step="switch-provider"} 1.7145648e+09`)
}

// The time of the last progress exists only while a step waits.
func TestLastProgress(t *testing.T) {
	series := func(at string) string {
		return `awsmigrate_step_last_progress_timestamp_seconds{cluster="prod",namespace="fleet-default",step="switch-provider"} ` + at
	}
	for name, next := range map[string]runner.Event{
		"finished": {Type: runner.StepFinished, Step: "switch-provider"},
		"failed":   {Type: runner.StepFailed, Step: "switch-provider"},
		"over":     {Type: runner.RunFinished},
	} {
		p := start(t)
		p.Happened(prod, waitingSince("machines", noon)) // of no job: nothing
		p.want("step_last_progress")
		p.Began(prod, controller.Work{Kind: kindRun})
		p.Happened(prod, runner.Event{Type: runner.StepStarted, Step: "switch-provider"})
		p.want("step_last_progress")
		p.Happened(prod, waitingSince("machines", noon))
		p.Happened(prod, runner.Event{Type: runner.StepWarning, Step: "switch-provider"})
		p.want("step_last_progress", series("1.7145648e+09"))
		p.Happened(prod, waitingSince("machines", noon.Add(500*time.Millisecond)))
		p.want("step_last_progress", series("1.7145648005e+09"))
		p.Happened(prod, next)
		if got := p.of("step_last_progress"); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestBegan_jobs_areCounted(t *testing.T) {
	p := start(t)
	p.want("awsmigrate_runs", `awsmigrate_runs_in_flight{kind="guard"} 0`, `awsmigrate_runs_in_flight{kind="look"} 0`, `awsmigrate_runs_in_flight{kind="run"} 0`, `awsmigrate_runs_limit 5`)
	p.Began(prod, controller.Work{Kind: kindGuard})
	p.Began(test, controller.Work{Kind: kindLook})
	p.want("runs_in_flight", `awsmigrate_runs_in_flight{kind="guard"} 1`, `awsmigrate_runs_in_flight{kind="look"} 1`, `awsmigrate_runs_in_flight{kind="run"} 0`)
	p.Ended(prod, nil)
	p.Ended(test, errors.New("unreachable"))
	p.Ended(test, nil) // which did not begin
	p.want("runs_in_flight", `awsmigrate_runs_in_flight{kind="guard"} 0`, `awsmigrate_runs_in_flight{kind="look"} 0`, `awsmigrate_runs_in_flight{kind="run"} 0`)
	p.want("awsmigrate_run_ _count")
	p.want("failures")
}

// The end of a run is counted by the party that may have to act.
func TestEnded_results_areCounted(t *testing.T) {
	of := func(class fault.Class, reason string) error { return &fault.Error{Class: class, Reason: reason} }
	for name, tt := range map[string]struct {
		work     controller.Work
		err      error
		duration string // the labels of its series, or empty
		failure  string
		locked   string
	}{
		"reached":         {controller.Work{Kind: kindRun}, nil, `direction="forward",result="finished"`, "", "0"},
		"undone":          {controller.Work{Kind: kindRun, Undo: true}, nil, `direction="back",result="finished"`, "", "0"},
		"asked to stop":   {controller.Work{Kind: kindRun}, of(fault.Interrupted, "Held"), `direction="forward",result="interrupted"`, "", "0"},
		"at a gate":       {controller.Work{Kind: kindRun}, of(fault.Gate, "Owner"), `direction="forward",result="waiting"`, "", "0"},
		"check":           {controller.Work{Kind: kindRun}, of(fault.Check, "NodeRenamed"), `direction="forward",result="failed"`, "NodeRenamed", "0"},
		"nothing moves":   {controller.Work{Kind: kindRun}, of(fault.NoProgress, "NoProgress"), `direction="forward",result="failed"`, "NoProgress", "0"},
		"unforeseen":      {controller.Work{Kind: kindRun}, errors.New("broken"), `direction="forward",result="failed"`, "Unexpected", "0"},
		"locked":          {controller.Work{Kind: kindRun}, of(fault.Locked, "LockHeld"), "", "", "1"},
		"guard":           {controller.Work{Kind: kindGuard}, nil, "", "", "0"},
		"guard in vain":   {controller.Work{Kind: kindGuard}, of(fault.CouldNotLook, "Unreachable"), "", "Unreachable", "0"},
		"guard locked":    {controller.Work{Kind: kindGuard}, of(fault.Locked, "LockHeld"), "", "", "1"},
		"look in vain":    {controller.Work{Kind: kindLook}, of(fault.CouldNotLook, "Unreachable"), "", "", "0"},
		"look that locks": {controller.Work{Kind: kindLook}, of(fault.Locked, "LockHeld"), "", "", "0"},
	} {
		p := start(t)
		p.Began(prod, tt.work)
		p.now = p.now.Add(90 * time.Second)
		p.Ended(prod, tt.err)
		var sum, failures []string
		if tt.duration != "" {
			sum = []string{"awsmigrate_run_duration_seconds_sum{" + tt.duration + "} 90"}
		}
		if tt.failure != "" {
			failures = []string{`awsmigrate_run_failures_total{reason="` + tt.failure + `"} 1`}
		}
		for words, want := range map[string][]string{"run_duration_seconds_sum": sum, "run_failures_total": failures, "lock_conflicts_total": {"awsmigrate_lock_conflicts_total " + tt.locked}} {
			if diff := cmp.Diff(want, p.of(words)); diff != "" {
				t.Errorf("%s, %s: want (-), got (+):\n%s", name, words, diff)
			}
		}
	}
}

func TestHappened_stepsPausesResumes_areCounted(t *testing.T) {
	p := start(t)
	p.want("brakes", `awsmigrate_brakes_total{result="failed"} 0`, `awsmigrate_brakes_total{result="pulled"} 0`)
	p.want("resumes", "awsmigrate_resumes_total 0")
	p.Began(prod, controller.Work{Kind: kindRun, Resumed: true})
	p.Happened(prod, runner.Event{Type: runner.StepFinished, Step: "cordon", Elapsed: 1500 * time.Millisecond})
	p.Happened(prod, runner.Event{Type: runner.RolloutPaused})
	p.Happened(prod, runner.Event{Type: runner.RolloutPaused, Err: errors.New("refused")})
	p.want("step_duration_seconds_sum", `awsmigrate_step_duration_seconds_sum{step="cordon"} 1.5`)
	p.want("brakes", `awsmigrate_brakes_total{result="failed"} 1`, `awsmigrate_brakes_total{result="pulled"} 1`)
	p.want("resumes", "awsmigrate_resumes_total 1")
}

// The wait for an approval keeps its start across a restart, and begins again after another
// state.
func TestAwaitingApproval(t *testing.T) {
	since := func(p *process) time.Time {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.clusters[prod].awaiting
	}
	p := start(t)
	p.Shown(prod, p.shown(status.AwaitingApproval, ""))
	p.now = noon.Add(time.Hour)
	p.Shown(prod, p.shown(status.AwaitingApproval, status.PlanMoved))
	if got := since(p); !got.Equal(noon) {
		t.Errorf("it waits since %s", got)
	}
	p.Shown(prod, p.shown(status.Running, ""))
	p.want("awaiting")
	p.Shown(prod, p.shown(status.AwaitingApproval, ""))
	if got := since(p); !got.Equal(noon.Add(time.Hour)) {
		t.Errorf("it waits since %s", got)
	}

	restarted := start(t)
	restarted.now = noon.Add(24 * time.Hour)
	s := restarted.shown(status.AwaitingApproval, "")
	s.Before.Conditions = status.Moment{State: status.AwaitingApproval}.Conditions(status.Moment{State: status.Running}.Conditions(nil, noon), noon.Add(time.Minute))
	restarted.Shown(prod, s)
	if got := since(restarted); !got.Equal(noon.Add(time.Minute)) {
		t.Errorf("it waits since %s", got)
	}

	other := start(t)
	other.now = noon.Add(24 * time.Hour)
	s.Before.Conditions = status.Moment{State: status.Findings}.Conditions(nil, noon)
	other.Shown(prod, s)
	if got := since(other); !got.Equal(other.now) {
		t.Errorf("it waits since %s", got)
	}
}

func TestRegister_passedRegistry_isUsed(t *testing.T) {
	p := everything(t)
	if err := p.Register(p.registry, func() bool { return true }); err == nil {
		t.Error("registered twice")
	}
	families, err := prometheus.DefaultGatherer.Gather()
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "awsmigrate") {
			t.Errorf("%s is in every program's registry", family.GetName())
		}
	}
	if err != nil {
		t.Error(err)
	}
}
