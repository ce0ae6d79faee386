package controller

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	awsmigrate "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// worlds is one world for each cluster of a fleet. It counts how many have a run at a time, which
// stands for the lock leases.
type worlds struct {
	mu     sync.Mutex
	of     map[string]*world
	active []string
	most   int
	begun  []string     // in the order in which they took their locks
	broken string       // name of a cluster whose audits fail
	ahead  atomic.Int64 // seconds by which the clock of the fleet is ahead
}

// Now implements clock.PassiveClock.
func (w *worlds) Now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load()) * time.Second) }

// shiftedClock is a clock that a test can put forward. Its timers are the real ones.
type shiftedClock struct {
	clock.RealClock
	worlds *worlds
}

func (c shiftedClock) Now() time.Time                   { return c.worlds.Now() }
func (c shiftedClock) Since(at time.Time) time.Duration { return c.Now().Sub(at) }

func (w *worlds) world(name string) *world {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]*world{}
	}
	if w.of[name] == nil {
		w.of[name] = newWorld()
	}
	return w.of[name]
}

func (w *worlds) engine() Engine {
	of := func(c session.Connector) *world { return w.world(c.(session.Target).Name) }
	return Engine{
		Assess: func(ctx context.Context, c session.Connector, o session.Options) (session.Assessment, error) {
			return of(c).assess(ctx, c, o)
		},
		Run: func(ctx context.Context, c session.Connector, o session.Options) (session.Result, error) {
			name := c.(session.Target).Name
			w.enter(name)
			defer w.leave(name)
			return of(c).run(ctx, c, o)
		},
		Guard: func(ctx context.Context, c session.Connector, o session.Options) (session.Result, error) {
			return of(c).guard(ctx, c, o)
		},
		Audit: func(ctx context.Context, t session.Target, o session.Options) (Audited, error) {
			audited, err := of(t).engine().Audit(ctx, t, o)
			audited.At = w.Now()
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.broken == t.Name {
				audited.Report.Counts[verify.Fail]++
			}
			return audited, err
		},
	}
}

func (w *worlds) enter(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = append(w.active, name)
	w.most = max(w.most, len(w.active))
	if !slices.Contains(w.begun, name) {
		w.begun = append(w.begun, name)
	}
}

func (w *worlds) leave(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = slices.DeleteFunc(w.active, func(a string) bool { return a == name })
}

func (w *worlds) order() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.begun)
}

// fleetTest is a namespace with several clusters.
type fleetTest struct {
	*installation
	worlds   *worlds
	rollouts generated.MigrationRolloutClient
	stop     func() // the controller
}

const rolloutDefinitionFile = "../../charts/awsmigrate-crd/templates/awsmigrate.io_migrationrollouts.yaml"

func serveRollouts(t testing.TB) (*management, generated.MigrationRolloutClient) {
	t.Helper()
	m := serve(t)
	text, err := os.ReadFile(rolloutDefinitionFile)
	if err != nil {
		t.Fatal(err)
	}
	m.define(t, string(text))
	factory, err := awsmigrate.NewFactoryFromConfig(m.config)
	if err != nil {
		t.Fatal(err)
	}
	rollouts := factory.Awsmigrate().V1alpha1().MigrationRollout()
	apiserver.Eventually(t, func() bool {
		_, err := rollouts.List("", metav1.ListOptions{})
		return err == nil
	})
	return m, rollouts
}

// fleetOf makes clusters with a ClusterMigration each, and starts a controller.
func (m *management) fleetOf(t *testing.T, rollouts generated.MigrationRolloutClient, names ...string) *fleetTest {
	t.Helper()
	f := &fleetTest{installation: m.install(t), worlds: &worlds{}, rollouts: rollouts}
	for _, name := range names {
		f.cluster(t, name, "external")
		f.createOf(t, name, v1alpha1.ClusterMigrationSpec{})
	}
	f.begin(t)
	return f
}

func (f *fleetTest) begin(t *testing.T) {
	t.Helper()
	_, f.stop = f.start(t, func(o *Options) { o.Engine, o.Clock = f.worlds.engine(), shiftedClock{worlds: f.worlds} })
}

func (f *fleetTest) roll(t testing.TB, spec v1alpha1.MigrationRolloutSpec) {
	t.Helper()
	spec.Edits = v1alpha1.EditsApply
	if _, err := f.rollouts.Create(&v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: "eu"}, Spec: spec}); err != nil {
		t.Fatal(err)
	}
}

// reaches waits until the rollout shows a state, and a reason if one is given.
func (f *fleetTest) reaches(t testing.TB, state status.State, reason status.Reason) *v1alpha1.MigrationRollout {
	t.Helper()
	var last *v1alpha1.MigrationRollout
	defer func() {
		if t.Failed() && last != nil {
			t.Logf("it shows %+v of %+v", last.Status.Display, last.Status)
		}
	}()
	apiserver.Eventually(t, func() bool {
		r, err := f.rollouts.Get(f.namespace, "eu", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		last = r
		return status.StateOf(r.Status.Display.State) == state && r.Status.ObservedGeneration == r.Generation &&
			(reason == "" || r.Status.Conditions[0].Reason == string(reason))
	})
	return last
}

// approveAll approves what the rollout would list now.
func (f *fleetTest) approveAll(t testing.TB) {
	t.Helper()
	f.approveMembers(t, f.reaches(t, status.AwaitingApproval, ""))
}

func (f *fleetTest) approveMembers(t testing.TB, r *v1alpha1.MigrationRollout) {
	t.Helper()
	var members []rollout.Member
	apiserver.Eventually(t, func() bool { // the statuses have what the controller knows
		list, err := f.objects.List(f.namespace, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		members = nil
		for i := range list.Items {
			members = append(members, rollout.Seen(&list.Items[i], nil))
		}
		return !slices.ContainsFunc(members, func(m rollout.Member) bool { return !m.Seen })
	})
	proposal, _, err := rollout.Propose(rollout.Input{Rollout: r, Members: members})
	if err != nil {
		t.Fatal(err)
	}
	f.update(t, func(s *v1alpha1.MigrationRolloutSpec) { s.Approved = &proposal })
}

func (f *fleetTest) change(t *testing.T, name, patch string) {
	t.Helper()
	if _, err := f.objects.Patch(f.namespace, name, types.MergePatchType, []byte(patch)); err != nil {
		t.Fatal(err)
	}
}

// These tests roll out over several clusters on a real API server, with a fake engine; see worlds
// and world for its limits.
func TestRollouts(t *testing.T) {
	m, rollouts := serveRollouts(t)
	for name, test := range map[string]func(*testing.T, func(...string) *fleetTest){
		"WaveByWave": waveByWave, "StopsAtTheFirstFailure": stopsAtTheFirstFailure, "StopsAtADeadline": stopsAtADeadline,
		"LeavesAPersonsGoal": leavesAPersonsGoal, "MembersJoinAndLeave": membersJoinAndLeave, "EndsWithItsObject": endsWithItsObject,
		"SharesNoCluster": sharesNoCluster, "PausesBetweenBlocks": pausesBetweenBlocks, "OutlivesRestarts": outlivesRestarts, "AuditsAfterASoak": auditsAfterASoak,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(names ...string) *fleetTest { return m.fleetOf(t, rollouts, names...) })
		})
	}
}

// Three waves take their clusters in order, and no two at a time. An undo begins with the last
// wave.
func waveByWave(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b", "c", "d")
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "first", Clusters: []string{"c"}}, {Name: "second", Clusters: []string{"a", "d"}}, {Name: "rest"}}})
	f.reaches(t, status.AwaitingApproval, "")
	if order := f.worlds.order(); len(order) > 0 {
		t.Fatalf("%v began without an approval", order)
	}
	f.approveAll(t)
	r := f.reaches(t, status.Succeeded, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"c", "a", "d", "b"}) || f.worlds.most != 1 {
		t.Errorf("order %v, %d at a time", got, f.worlds.most)
	}
	if c := r.Status.Counts; c.Done != 4 || c.Total != 4 {
		t.Errorf("%+v", r.Status)
	}
	with2 := r.DeepCopy()
	with2.Spec.Goal = v1alpha1.GoalUndo
	if _, err := f.rollouts.Update(with2); err != nil {
		t.Fatal(err)
	}
	f.worlds.mu.Lock()
	f.worlds.begun = nil
	f.worlds.mu.Unlock()
	f.approveAll(t)
	f.reaches(t, status.Succeeded, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"b", "a", "d", "c"}) || f.worlds.most != 1 {
		t.Errorf("undone in the order %v, %d at a time", got, f.worlds.most)
	}
}

// Wave of five, no failure allowed: the second fails, the third never begins, nor a later wave. A
// retry lets all others follow.
func stopsAtTheFirstFailure(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b", "c", "d", "e", "z")
	f.worlds.world("b").fails = &fault.Error{Class: fault.Check, Reason: "Seeded", Object: "check AWSM-000", Seen: "fails", Fix: "mend it"}
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "five", Clusters: []string{"a", "b", "c", "d", "e"}}, {Name: "later"}}})
	f.approveAll(t)
	r := f.reaches(t, status.Stalled, status.WaveStopped)
	if c := r.Status.Counts; c.Done != 1 || c.Failed != 1 || c.Waiting != 4 {
		t.Errorf("%+v", c)
	}
	if got := f.worlds.order(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("began %v", got)
	}
	apiserver.Eventually(t, func() bool { // a warning names the failed cluster
		list, err := f.kube.EventsV1().Events(f.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(list.Items, func(e eventsv1.Event) bool {
			return e.Reason == "WaveStopped" && e.Type == corev1.EventTypeWarning && e.Regarding.UID == r.UID && strings.Contains(e.Note, "b failed")
		})
	})
	with(f.worlds.world("b"), func() any { f.worlds.world("b").fails = nil; return nil })
	f.change(t, "b", `{"metadata":{"annotations":{"awsmigrate.io/retry":"1"}}}`)
	f.reaches(t, status.Succeeded, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"a", "b", "c", "d", "e", "z"}) {
		t.Errorf("began %v", got)
	}
}

// After its soak a wave is audited again. A cluster that fails then keeps the next wave from beginning.
func auditsAfterASoak(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b")
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "canary", Clusters: []string{"a"}, Soak: "1h"}, {Name: "rest"}}})
	f.approveAll(t)
	f.reaches(t, status.Pending, status.Soaking)
	f.worlds.mu.Lock()
	f.worlds.broken = "a"
	f.worlds.mu.Unlock()
	later := func(label string) {
		f.worlds.ahead.Add(2 * 3600)
		f.change(t, "a", `{"metadata":{"labels":{"touched":"`+label+`"}}}`) // timers are the real ones
	}
	later("once")
	if r := f.reaches(t, status.Stalled, status.WaveStopped); !strings.Contains(r.Status.Display.Message, "checks fail") || len(f.worlds.order()) != 1 {
		t.Errorf("%+v, began %v", r.Status.Display, f.worlds.order())
	}
	f.worlds.mu.Lock()
	f.worlds.broken = ""
	f.worlds.mu.Unlock()
	later("twice")
	f.reaches(t, status.Succeeded, "")
}

var unreachable = &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: "the cluster", Seen: "does not answer"}

// began waits until the turn of a member has begun, and returns its mark.
func (f *fleetTest) began(t *testing.T, name string) (mark rollout.Mark) {
	t.Helper()
	apiserver.Eventually(t, func() bool {
		m, err := f.objects.Get(f.namespace, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		mark = rollout.MarkOf(m)
		return !mark.Began.IsZero()
	})
	return mark
}

// late puts the deadline of a member that has begun into the past, because a test cannot wait for
// it.
func (f *fleetTest) late(t *testing.T, name string) {
	t.Helper()
	mark := f.began(t, name)
	mark.Deadline = mark.Began
	text, err := mark.Text()
	if err != nil {
		t.Fatal(err)
	}
	f.change(t, name, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, rollout.Annotation, text))
}

func (f *fleetTest) update(t testing.TB, with func(*v1alpha1.MigrationRolloutSpec)) {
	t.Helper()
	apiserver.Eventually(t, func() bool {
		r, err := f.rollouts.Get(f.namespace, "eu", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		with(&r.Spec)
		_, err = f.rollouts.Update(r)
		return err == nil
	})
}

// Three clusters that do not answer: their wave stops at the deadline and says so. With three
// failures allowed it goes on.
func stopsAtADeadline(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "x", "y", "z")
	for _, name := range []string{"x", "y", "z"} {
		with(f.worlds.world(name), func() any { f.worlds.world(name).away = unreachable; return nil })
	}
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "away", Clusters: []string{"x", "y", "z"}, MaxConcurrent: 3}, {Name: "rest"}}})
	f.approveAll(t)
	for _, name := range []string{"x", "y", "z"} {
		f.began(t, name) // all of them, because the first failure stops the wave
	}
	for _, name := range []string{"x", "y", "z"} {
		f.late(t, name)
	}
	r := f.reaches(t, status.Stalled, status.WaveStopped)
	if r.Status.Counts.Failed < 1 || !strings.Contains(r.Status.Display.Message, "deadline") || len(f.worlds.order()) > 0 {
		t.Errorf("%+v, began %v", r.Status, f.worlds.order())
	}
	f.update(t, func(s *v1alpha1.MigrationRolloutSpec) { s.Waves[0].FailuresAllowed = 3 })
	r = f.reaches(t, status.Succeeded, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"a"}) || r.Status.Counts.Failed != 3 {
		t.Errorf("began %v, %+v", got, r.Status.Counts)
	}
}

// A cluster whose goal a person set stays as it is, and so does one whose plan moved, before its turn or
// while it waits for a window in its turn. The others follow.
func leavesAPersonsGoal(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b", "c", "d")
	f.change(t, "a", `{"spec":{"goal":"Undo"}}`)
	later := time.Now().AddDate(0, 6, 0)
	f.change(t, "d", fmt.Sprintf(`{"spec":{"windows":[{"schedule":"0 3 %d %d *","duration":"4h"}]}}`, later.Day(), later.Month()))
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all"}}})
	f.reaches(t, status.AwaitingApproval, "")
	f.update(t, func(s *v1alpha1.MigrationRolloutSpec) { s.Paused = true }) // the plan moves after the approval and before its turn
	r := f.reaches(t, status.Paused, "")
	f.approveMembers(t, r)
	moves := `{"spec":{"options":{"ccm":{"image":"another"}}}}`
	f.change(t, "b", moves)
	f.update(t, func(s *v1alpha1.MigrationRolloutSpec) { s.Paused = false })
	f.began(t, "d")
	f.showsOf(t, "d", status.AwaitingWindow, "")
	f.change(t, "d", moves)
	r = f.reaches(t, status.Succeeded, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"c"}) || r.Status.Counts.Withdrawn != 2 || r.Status.Counts.Done != 1 {
		t.Errorf("began %v, %+v", got, r.Status)
	}
	if m := f.showsOf(t, "a", status.Succeeded, ""); m.Spec.Goal != v1alpha1.GoalUndo || m.Annotations[rollout.Annotation] != "" {
		t.Errorf("%+v", m)
	}
}

// A cluster that leaves is forgotten, and one that joins waits for the next approval.
func membersJoinAndLeave(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b", "c")
	f.worlds.world("a").stands = make(chan struct{})
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all"}}})
	f.approveAll(t)
	f.showsOf(t, "a", status.Running, "")
	if err := f.objects.Delete(f.namespace, "b", nil); err != nil {
		t.Fatal(err)
	}
	f.cluster(t, "new", "external")
	f.createOf(t, "new", v1alpha1.ClusterMigrationSpec{})
	close(f.worlds.world("a").stands)
	f.showsOf(t, "new", status.AwaitingTurn, "")
	r := f.reaches(t, status.Succeeded, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"a", "c"}) || r.Status.Counts.Withdrawn != 1 {
		t.Errorf("began %v, %+v", got, r.Status)
	}
	f.approveMembers(t, r)
	f.showsOf(t, "new", status.Succeeded, "")
}

// The cluster at work when a rollout is deleted goes on to its goal, and no other begins.
func endsWithItsObject(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b")
	f.worlds.world("a").stands = make(chan struct{})
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all"}}})
	f.approveAll(t)
	f.showsOf(t, "a", status.Running, "")
	if err := f.rollouts.Delete(f.namespace, "eu", nil); err != nil {
		t.Fatal(err)
	}
	close(f.worlds.world("a").stands)
	f.showsOf(t, "a", status.Succeeded, "")
	f.showsOf(t, "b", status.AwaitingApproval, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("began %v", got)
	}
}

// A cluster that two rollouts select belongs to the one that set its goal.
func sharesNoCluster(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b")
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all", Clusters: []string{"a"}}}})
	f.reaches(t, status.AwaitingApproval, "")
	if _, err := f.rollouts.Create(&v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Namespace: f.namespace, Name: "us"},
		Spec: v1alpha1.MigrationRolloutSpec{Goal: v1alpha1.GoalUndo, Edits: v1alpha1.EditsApply, Waves: []v1alpha1.Wave{{Name: "all"}}}}); err != nil {
		t.Fatal(err)
	}
	f.showsOf(t, "b", status.Succeeded, "") // nothing is left to undo
	f.approveAll(t)
	f.reaches(t, status.Succeeded, "")
	us, err := f.rollouts.Get(f.namespace, "us", metav1.GetOptions{})
	if err != nil || us.Status.Counts.Withdrawn != 1 || !strings.Contains(us.Status.Notes[0].Message, "rollout eu") {
		t.Errorf("%v: %+v", err, us.Status)
	}
}

// A paused rollout lets the step at work end, and no further block of its cluster begins.
func pausesBetweenBlocks(t *testing.T, fleetOf func(...string) *fleetTest) {
	f := fleetOf("a", "b")
	a := f.worlds.world("a")
	a.stands = make(chan struct{})
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all"}}})
	f.approveAll(t)
	f.showsOf(t, "a", status.Running, "")
	f.update(t, func(s *v1alpha1.MigrationRolloutSpec) { s.Paused = true })
	f.reaches(t, status.Paused, "")
	close(a.stands)
	if m := f.showsOf(t, "a", status.AwaitingTurn, ""); !strings.Contains(m.Status.Display.Message, "rollout eu is paused") {
		t.Errorf("%+v", m.Status.Display)
	}
	if runs := a.begunRuns(); !slices.Equal(runs, []string{"enable-leader-migration"}) {
		t.Errorf("ran the blocks %v", runs)
	}
	f.update(t, func(s *v1alpha1.MigrationRolloutSpec) { s.Paused = false })
	f.reaches(t, status.Succeeded, "")
}

// A controller that ends again and again loses no cluster and begins none twice.
func outlivesRestarts(t *testing.T, fleetOf func(...string) *fleetTest) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	f := fleetOf(names...)
	f.roll(t, v1alpha1.MigrationRolloutSpec{MaxConcurrent: 2, Waves: []v1alpha1.Wave{{Name: "all", MaxConcurrent: 3}}})
	f.approveAll(t)
	for _, name := range names {
		apiserver.Eventually(t, func() bool { return slices.Contains(f.worlds.order(), name) })
		f.stop()
		f.begin(t)
	}
	r := f.reaches(t, status.Succeeded, "")
	if r.Status.Counts.Done != int64(len(names)) || f.worlds.most > 2 {
		t.Errorf("%+v, %d at a time", r.Status.Counts, f.worlds.most)
	}
	for _, name := range names {
		if took := with(f.worlds.world(name), func() []string { return f.worlds.world(name).took }); len(took) != len(forward) {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// While Rancher itself rolls out, the turn of a member waits and counts as no failure. The rollout
// continues when Rancher is at rest.
func TestRolloutWaitsForRancher(t *testing.T) {
	m, rollouts := serveRollouts(t)
	f := m.fleetOf(t, rollouts, "a", "b")
	f.roll(t, v1alpha1.MigrationRolloutSpec{Waves: []v1alpha1.Wave{{Name: "all"}}})
	r := f.reaches(t, status.AwaitingApproval, "")
	moving := f.rancher(t)
	f.approveMembers(t, r)
	f.showsOf(t, "a", status.Pending, status.RancherNotAtRest)
	if r := f.reaches(t, status.Running, ""); r.Status.Counts.Failed > 0 || len(f.worlds.order()) > 0 {
		t.Errorf("began %v, %+v", f.worlds.order(), r.Status)
	}
	moving.Status = appsv1.DeploymentStatus{ObservedGeneration: moving.Generation, Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1, ReadyReplicas: 1}
	if _, err := f.kube.AppsV1().Deployments(rancherNamespace).UpdateStatus(t.Context(), moving, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	f.worlds.ahead.Add(3600)
	f.change(t, "a", `{"metadata":{"labels":{"touched":"1"}}}`) // timers are the real ones
	f.reaches(t, status.Succeeded, "")
	if got := f.worlds.order(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("began %v", got)
	}
}

// rancher makes Rancher's Deployment, without a ready pod.
func (f *fleetTest) rancher(t *testing.T) *appsv1.Deployment {
	t.Helper()
	if _, err := f.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: rancherNamespace}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": rancherDeployment}
	d, err := f.kube.AppsV1().Deployments(rancherNamespace).Create(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: rancherDeployment},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "rancher", Image: "rancher/rancher:v2.8.5"}}}}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
