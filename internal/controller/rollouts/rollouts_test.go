package rollouts

import (
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/rancher/wrangler/v3/pkg/generic"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
)

// statuses is a fake of the rollouts' controller that keeps the statuses. It has no rollout in its
// cache, and enqueues nothing.
type statuses struct {
	generated.MigrationRolloutController

	written []v1alpha1.MigrationRolloutStatus
}

func (s *statuses) UpdateStatus(r *v1alpha1.MigrationRollout) (*v1alpha1.MigrationRollout, error) {
	s.written = append(s.written, r.Status)
	return r, nil
}

func (*statuses) EnqueueAfter(string, string, time.Duration) {}

func (*statuses) Cache() generic.CacheInterface[*v1alpha1.MigrationRollout] { return noRollouts{} }

type noRollouts struct {
	generic.CacheInterface[*v1alpha1.MigrationRollout]
}

func (noRollouts) List(string, labels.Selector) ([]*v1alpha1.MigrationRollout, error) {
	return nil, nil
}

// clusters is a fake controller that leads. It keeps the pauses before the audits.
type clusters struct {
	members []rollout.Member
	audits  map[string]time.Duration
}

func (c clusters) Members(string) []rollout.Member { return c.members }

func (c clusters) MembersOf(string, []*v1alpha1.ClusterMigration) []rollout.Member { return c.members }

func (c clusters) Audit(key types.NamespacedName, pause time.Duration) { c.audits[key.Name] = pause }

func (clusters) Decide(string, string) {}

func (clusters) Leads() bool { return true }

// A controller that has just started keeps the status, and the metrics of it, until it has looked
// at every member. A status of another generation is replaced at once.
func TestHandle_unknownMember_statusKept(t *testing.T) {
	const hash = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	now := time.Now()
	member := rollout.Member{Name: "a", Goal: v1alpha1.GoalMigrate, Approved: hash,
		Mark: rollout.Mark{Rollout: "eu", UID: "eu-uid", Goal: v1alpha1.GoalMigrate, Began: now.Add(-time.Hour), Deadline: now.Add(time.Hour)}}
	known, seen := member, member
	known.Known = true
	seen.Known, seen.Seen, seen.State, seen.Reached = true, true, status.Succeeded, true
	for name, tt := range map[string]struct {
		member   rollout.Member
		observed int64
		shown    status.State // written, or empty
		done     int64        // in the metrics
	}{
		"unknown":               {member, 1, "", 1},
		"unknown, changed spec": {member, 0, status.Running, 0},
		"being looked at":       {known, 1, status.Running, 0},
		"seen":                  {seen, 1, status.Succeeded, 1},
	} {
		r := &v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "eu", UID: "eu-uid", Generation: 1},
			Spec:   v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all"}}, Approved: &v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate, Members: []v1alpha1.RolloutMember{{Cluster: "a", Wave: "all", Plan: hash}}}},
			Status: v1alpha1.MigrationRolloutStatus{ObservedGeneration: tt.observed, Counts: v1alpha1.RolloutCounts{Total: 1, Done: 1}}}
		s, done := &statuses{}, int64(-1)
		n := Namespace{Name: "fleet", Rollouts: s, Clusters: clusters{members: []rollout.Member{tt.member}}, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler), Events: &events.FakeRecorder{},
			Meter: func(_ types.NamespacedName, of *v1alpha1.MigrationRolloutStatus) { done = of.Counts.Done }}
		if err := n.Handle("eu", r); err != nil {
			t.Fatal(err)
		}
		shown := status.State("")
		if len(s.written) > 0 {
			shown = status.StateOf(s.written[0].Display.State)
		}
		if shown != tt.shown || done != tt.done {
			t.Errorf("%s: shows %q with %d done, wanted %q with %d", name, shown, done, tt.shown, tt.done)
		}
	}
}

// The audits after a soak begin one after the other: two hundred looks at once took as much memory as
// a pod may have.
func TestHandle_soaked_auditsSpaced(t *testing.T) {
	now := time.Now()
	r := &v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "eu", UID: "eu-uid"},
		Spec: v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all", Soak: "1m"}}, Approved: &v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate}}}
	of := clusters{audits: map[string]time.Duration{}}
	for _, name := range []string{"a", "b", "c"} {
		r.Spec.Approved.Members = append(r.Spec.Approved.Members, v1alpha1.RolloutMember{Cluster: name, Wave: "all"})
		of.members = append(of.members, rollout.Member{Name: name, Goal: v1alpha1.GoalMigrate, Known: true, Seen: true, State: status.Succeeded, Reached: true, Ended: now.Add(-time.Hour),
			Mark: rollout.Mark{Rollout: "eu", UID: "eu-uid", Goal: v1alpha1.GoalMigrate, Began: now.Add(-2 * time.Hour), Deadline: now.Add(time.Hour)}})
	}
	n := Namespace{Name: "fleet", Rollouts: &statuses{}, Clusters: of, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler), Events: &events.FakeRecorder{},
		Meter: func(types.NamespacedName, *v1alpha1.MigrationRolloutStatus) {}}
	if err := n.Handle("eu", r); err != nil {
		t.Fatal(err)
	}
	if want := map[string]time.Duration{"a": 0, "b": auditSpacing, "c": 2 * auditSpacing}; !maps.Equal(of.audits, want) {
		t.Errorf("audits after %v, wanted %v", of.audits, want)
	}
}

// A new rollout that begins to wait for its approval records an Event, once. An approved one waits
// again only after its wave stopped, with an Event of its own.
func TestRecord_awaitsApproval_event(t *testing.T) {
	awaits, runs := status.Moment{State: status.AwaitingApproval, Message: "approve"}.Display(), status.Moment{State: status.Running}.Display()
	approval, other := &v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate}, &v1alpha1.RolloutApproval{Goal: v1alpha1.GoalUndo}
	stopped := []v1alpha1.WaveStatus{{Name: "canary", State: string(rollout.WaveStopped)}}
	for name, tt := range map[string]struct {
		before, next *v1alpha1.Display
		waves        []v1alpha1.WaveStatus
		approved     *v1alpha1.RolloutApproval
		want         string
	}{
		"a new rollout":         {nil, awaits, nil, nil, "Normal AwaitingApproval approve"},
		"with another goal":     {runs, awaits, nil, other, "Normal AwaitingApproval approve"},
		"it still waits":        {awaits, awaits, nil, nil, ""},
		"its wave stopped":      {runs, awaits, stopped, approval, "Warning WaveStopped approve"},
		"it waits for no other": {awaits, runs, nil, nil, ""},
	} {
		recorder := events.NewFakeRecorder(10)
		n := Namespace{Log: slog.New(slog.DiscardHandler), Events: recorder}
		n.record(&v1alpha1.MigrationRollout{Spec: v1alpha1.MigrationRolloutSpec{Approved: tt.approved}, Status: v1alpha1.MigrationRolloutStatus{Display: tt.before}}, v1alpha1.MigrationRolloutStatus{Display: tt.next, Wave: "canary", Waves: tt.waves})
		got := ""
		select {
		case got = <-recorder.Events:
		default:
		}
		if got != tt.want {
			t.Errorf("%s: event %q, want %q", name, got, tt.want)
		}
	}
}
