package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/test/fleet"
)

// Waves of TestFleet: the first has one cluster, and in the second one fails. The rest is RKE2 and
// RKE.
var five = []string{"five-0", "five-1", "five-2", "five-3", "five-4"}

const (
	canary    = "canary"
	others    = 14
	inFive    = 3 // at a time
	inRest    = 12
	inAll     = 12
	killedAt  = 40
	killAgain = 90
)

// waveOf returns the wave of a cluster.
func waveOf(cluster string) string {
	switch {
	case cluster == canary:
		return canary
	case slices.Contains(five, cluster):
		return "five"
	}
	return "rest"
}

// create creates the rollout.
func (o *office) create(t testing.TB, maxConcurrent int64, waves ...v1alpha1.Wave) {
	t.Helper()
	spec := v1alpha1.MigrationRolloutSpec{Edits: v1alpha1.EditsApply, MaxConcurrent: maxConcurrent, Waves: waves}
	if _, err := o.rollouts.Create(&v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Namespace: fleet.Namespace, Name: "eu"}, Spec: spec}); err != nil {
		t.Fatal(err)
	}
}

// addTwenty adds the clusters of the waves of TestFleet, and returns them by name.
func (o *office) addTwenty() map[string]*fleet.Member {
	members := map[string]*fleet.Member{canary: o.AddRKE2(canary)}
	for _, name := range five {
		members[name] = o.AddRKE2(name)
	}
	for i := range others {
		add := o.AddRKE2
		if i%3 == 0 {
			add = o.AddRKE
		}
		m := add(fmt.Sprintf("rest-%02d", i))
		members[m.Name] = m
	}
	return members
}

// limit is the time for a part of the test. It is long, because other tests run at the same time.
const limit = 10 * time.Minute

// Twenty clusters of RKE2 and RKE in three waves. A wave stops at its first failure, and continues
// after a retry. The controller is killed twice, with several clusters at work. Each cluster is
// migrated once, and no limit is ever exceeded.
func TestFleet(t *testing.T) {
	t.Parallel()
	o := newOffice(t, times)
	members := o.addTwenty()
	o.open(t)
	locks := o.watchLocks(t, waveOf)
	o.create(t, inAll, v1alpha1.Wave{Name: canary, Clusters: []string{canary}}, v1alpha1.Wave{Name: "five", Clusters: five, MaxConcurrent: inFive}, v1alpha1.Wave{Name: "rest", MaxConcurrent: inRest})
	first := o.start(t, podSpec{Name: "awsmigrate-0", Runs: inAll, Kill: killedAt})
	o.waitForPlans(t, len(members))
	o.requireDisplayNames(t)
	members["five-1"].SetNodeReady(4, false)
	o.must(t, "rollout", "approve", "--name", "eu", "--yes")
	o.waitFor(t, "a stopped wave", limit, isStopped)
	first.kill(t)
	second := o.start(t, podSpec{Name: "awsmigrate-0", Runs: inAll, Kill: killAgain})
	o.waitFor(t, "the end of the clusters at work", limit, func(r *v1alpha1.MigrationRollout) bool { return isStopped(r) && r.Status.Counts.Active == 0 })
	may := []string{canary, "five-0", "five-1", "five-2"} // the last one begins if it is faster than the failure
	if began := locks.began(); len(began) < len(may)-1 || !slices.Equal(began, may[:len(began)]) {
		t.Errorf("began before the retry: %v", began)
	}
	o.requireStopped(t)
	members["five-1"].SetNodeReady(4, true)
	o.must(t, "rollout", "retry", "--name", "eu")
	o.waitFor(t, "clusters of the last wave at work", limit, func(r *v1alpha1.MigrationRollout) bool {
		return r.Status.Wave == "rest" && r.Status.Counts.Active > inAll/2
	})
	second.kill(t)
	o.start(t, podSpec{Name: "awsmigrate-0", Runs: inAll})
	o.waitFor(t, "the goal", limit, func(r *v1alpha1.MigrationRollout) bool { return r.Status.Counts.Done == int64(len(members)) })
	o.must(t, "rollout", "status", "--name", "eu")
	most := locks.atMost()
	t.Logf("at most %v clusters at a time", most)
	for name, limit := range map[string]int{canary: 1, "five": inFive, "rest": inRest, "all": inAll} {
		// Between two blocks of steps a cluster holds no lock, so the limit need not be reached.
		if n := most[name]; n > limit || n < (limit+2)/3 {
			t.Errorf("%s: at most %d clusters at a time, wanted %d", name, n, limit)
		}
	}
	for _, m := range members {
		o.requireOnce(t, m)
	}
}

func isStopped(r *v1alpha1.MigrationRollout) bool {
	return inState(status.Stalled)(r) && r.Status.Conditions[0].Reason == string(status.WaveStopped)
}

// waitForPlans waits until n clusters have a plan.
func (o *office) waitForPlans(t testing.TB, n int) {
	t.Helper()
	o.waitFor(t, "the plans of all clusters", limit, func(r *v1alpha1.MigrationRollout) bool {
		return inState(status.AwaitingApproval)(r) && o.planned(t) == n
	})
}

// requireDisplayNames requires the name in Rancher's UI for the clusters that are not named so: for RKE.
func (o *office) requireDisplayNames(t *testing.T) {
	t.Helper()
	list, err := o.migrations.List(fleet.Namespace, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		m := &list.Items[i]
		if rke := strings.HasPrefix(m.Name, "c-"); rke != strings.HasPrefix(m.Status.DisplayName, "rest-") || !rke && m.Status.DisplayName != "" {
			t.Errorf("%s: displayName %q", m.Name, m.Status.DisplayName)
		}
	}
}

// planned returns the number of clusters with a plan.
func (o *office) planned(t testing.TB) (n int) {
	t.Helper()
	list, err := o.migrations.List(fleet.Namespace, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		if m := &list.Items[i]; m.Status.Plan != nil && m.Status.ObservedGeneration == m.Generation && rollout.MarkOf(m).Rollout == "eu" {
			n++
		}
	}
	return n
}

// requireStopped checks that an Event names the stopped wave.
func (o *office) requireStopped(t *testing.T) {
	t.Helper()
	events, err := o.kube.CoreV1().Events(fleet.Namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(events.Items, func(e corev1.Event) bool {
		return e.InvolvedObject.Kind == "MigrationRollout" && e.Reason == "WaveStopped" && strings.Contains(e.Message, "five-1")
	}) {
		t.Error("no Event names the stopped wave")
	}
}

// requireOnce checks that a cluster reached the goal with one edit for each step that edits, and that
// it did nothing that it must never do.
func (o *office) requireOnce(t *testing.T, m *fleet.Member) {
	t.Helper()
	if wrong := m.Violations(); len(wrong) > 0 {
		t.Errorf("%s: %v", m.Name, wrong)
	}
	object, err := o.migrations.Get(fleet.Namespace, m.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if object.Status.Position != "P5" {
		t.Errorf("%s is at %s: %s", m.Name, object.Status.Position, object.Status.Display.Message)
	}
	want := int64(4) // enable and switch; the snapshot of RKE2 is an edit as well
	kind := "clusters.provisioning.cattle.io"
	if m.IsRKE() {
		want, kind = 3, "clusters.management.cattle.io"
	}
	for _, cluster := range m.Objects(kind) {
		if generation := cluster["metadata"].(map[string]any)["generation"]; generation != want {
			t.Errorf("the configuration of %s was changed to generation %v, wanted %d", m.Name, generation, want)
		}
	}
}
