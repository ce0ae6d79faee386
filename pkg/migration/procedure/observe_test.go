package procedure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Observe returns the position. An undo also observes the install method and the names that it
// accepts.
func TestObserve(t *testing.T) {
	helms := journal.Record{Intents: []journal.Intent{{Step: migration.StepInstall, Object: chart.HelmObject}}}
	for _, p := range position.All() {
		for _, back := range []bool{false, true} {
			core, _, _ := observer(p)
			core.isUndo = back
			var snap migration.Snapshot
			for range 2 { // the second reading proves that the lease changes
				var err error
				core.Clock.(clustertest.Clock).Step(5 * time.Second)
				if snap, err = core.Observe(t.Context(), helms); err != nil {
					t.Fatal(err)
				}
			}
			method := migration.InstallHelm
			if back {
				method = migration.InstallManifest
			}
			if snap.Result.Position != p || snap.Result.Mixed || snap.InstallMethod != method || snap.Back != back || snap.HadCCM != (p >= position.P3) {
				t.Errorf("%s: %+v, by %s, back %t, had a CCM %t", p, snap.Result, snap.InstallMethod, snap.Back, snap.HadCCM)
			}
			if !snap.At.Equal(core.Clock.Now()) || snap.Unseen || snap.Outage || snap.Reading.Down.Record || (snap.Reading.Stale != nil) != back {
				t.Errorf("%s: %+v", p, snap)
			}
			if uid, err := core.ClusterUID(t.Context()); uid != "the-cluster" || err != nil {
				t.Errorf("%q, %v", uid, err)
			}
		}
	}
}

// A failed reading returns an error that names the resource, and is recorded as an outage.
func TestObserve_readFails_recordsOutage(t *testing.T) {
	refused := apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	for resource, object := range map[string]string{"nodes": "Nodes", "leases": "Lease kube-system/" + wellknown.MigrationLease, "secrets": "Helm's records in kube-system", "": ""} {
		core, client, by := observer(position.P2)
		core.isUndo = true
		away := true
		if by.Lookup = clustertest.ErrAway; resource != "" {
			by.Lookup = nil
			client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return away, nil, refused })
		}
		record := journal.Record{Intents: []journal.Intent{{Step: migration.StepInstall, Object: chart.HelmObject}}}
		_, err := core.Observe(t.Context(), record)
		if f, ok := fault.As(err); resource == "" && !errors.Is(err, clustertest.ErrAway) || resource != "" && (!ok || f.Object != object || f.Reason != fault.ReasonForbidden) {
			t.Errorf("%s: %v", resource, err)
		}
		away, by.Lookup = false, nil
		for i, unseen := range []bool{true, false} {
			snap, err := core.Observe(t.Context(), record)
			if err != nil || snap.Unseen != unseen || !snap.Outage {
				t.Errorf("%s, reading %d after it: %v, unseen %t, outage %t", resource, i, err, snap.Unseen, snap.Outage)
			}
		}
	}
	core, client, _ := observer(position.P2)
	client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, refused })
	if _, err := core.ClusterUID(t.Context()); clustertest.ReasonOf(err) != fault.ReasonForbidden {
		t.Error(err)
	}
}

// A CCM that was observed once counts as seen after it is gone.
func TestObserve_CCMRemoved_remembersIt(t *testing.T) {
	core, client, _ := observer(position.P3)
	if _, err := core.Observe(t.Context(), journal.Record{}); err != nil {
		t.Fatal(err)
	}
	if err := client.AppsV1().DaemonSets(wellknown.System).Delete(t.Context(), wellknown.CCM, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if snap, err := core.Observe(t.Context(), journal.Record{}); err != nil || !snap.HadCCM || snap.Reading.Down.CCM != nil {
		t.Errorf("%v, had one: %t", err, snap.HadCCM)
	}
}

// If only the CCM can hold the lease and no change was seen yet, the first reading repeats
// until the lease changes or the renew deadline passes.
func TestObserveLeases_unprovenHolder_readsAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		at    position.Position
		still int // readings without a write
		waits time.Duration
		mixed bool
	}{
		"it moves at once":           {position.P4, 0, leaseInterval, false},
		"it moves in a while":        {position.P4, 12, 2 * time.Second, false},
		"it never moves":             {position.P4, 10000, 10 * time.Second, true},
		"another may hold it":        {position.P3, 10000, 0, false},
		"no process needs it":        {position.P5, 10000, 0, false},
		"there is no CCM to hold it": {position.P0, 10000, 0, false},
	} {
		core, client, _ := observer(tt.at)
		clustertest.Renew(client, tt.at, tt.still)
		snap, err := core.Observe(t.Context(), journal.Record{})
		if waited := snap.At.Sub(clustertest.Start); err != nil || waited != tt.waits || snap.Result.Mixed != tt.mixed {
			t.Errorf("%s: waited %s, %+v, %v", name, waited, snap.Result, err)
		}
	}
	core, client, _ := observer(position.P4)
	looks := 0
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		looks++
		return looks > 3, nil, apierrors.NewServiceUnavailable("away")
	})
	if _, err := core.Observe(t.Context(), journal.Record{}); clustertest.ReasonOf(err) != "Unreachable" {
		t.Errorf("while it looks on: %v", err)
	}
	core, _, _ = observer(position.P4)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := core.Observe(ended, journal.Record{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that was ended: %v", err)
	}
}

// During an undo, Helm's record of a release without its DaemonSet counts if the journal says
// that we installed it.
func TestRecordLeft(t *testing.T) {
	ours := journal.Record{Intents: []journal.Intent{{Object: "Node cp-0"}, {Object: chart.HelmObject}}}
	record := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "sh.helm.release.v1." + name, Labels: map[string]string{"owner": "helm", "name": name}}}
	}
	for name, tt := range map[string]struct {
		at      position.Position
		journal journal.Record
		forward bool
		secrets []string
		left    bool
	}{
		"it is left":             {position.P2, ours, false, []string{wellknown.CCM}, true},
		"of another release":     {position.P2, ours, false, []string{"other"}, false},
		"no release":             {position.P2, ours, false, nil, false},
		"others installed it":    {position.P2, journal.Record{Intents: []journal.Intent{{Object: "Node cp-0"}}}, false, []string{wellknown.CCM}, false},
		"its DaemonSet is there": {position.P3, ours, false, []string{wellknown.CCM}, false},
		"no undo asks":           {position.P2, ours, true, []string{wellknown.CCM}, false},
	} {
		core, client, _ := observer(tt.at)
		core.isUndo = !tt.forward
		for _, secret := range tt.secrets {
			if err := client.Tracker().Add(record(secret)); err != nil {
				t.Fatal(err)
			}
		}
		snap, err := core.Observe(t.Context(), tt.journal)
		if err != nil || snap.Reading.Down.Record != tt.left {
			t.Errorf("%s: %t, %v", name, snap.Reading.Down.Record, err)
		}
	}
}

// An undo accepts the renames that it found when it began, and no later ones.
func TestKnownRenames(t *testing.T) {
	core, client, _ := observer(position.P4)
	core.isUndo = true
	record := clustertest.Printed(t, clustertest.Prints()...)
	second := func(name string) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: corev1.NodeSpec{ProviderID: clustertest.At(position.P0).Reading.Down.Nodes[2].ProviderID},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
		if err := client.Tracker().Add(node); err != nil {
			t.Fatal(err)
		}
	}
	second("before")
	for range 2 {
		snap, err := core.Observe(t.Context(), record)
		if got := slices.Sorted(maps.Keys(snap.Reading.Stale)); err != nil || !slices.Equal(got, []string{"before"}) {
			t.Errorf("%v, %v", got, err)
		}
		second(fmt.Sprint("later-", snap.At.UnixNano()))
		core.Clock.(clustertest.Clock).Step(time.Second)
	}
}

// An unsupported cluster is not judged further.
func TestJudge_unsupported_refuses(t *testing.T) {
	core, _, by := observer(position.P3)
	for _, want := range []error{nil, clustertest.ErrAway} {
		by.Config.Refused = want
		snap, err := core.Observe(t.Context(), journal.Record{})
		if err != nil {
			t.Fatal(err)
		}
		judged, err := core.Judge(snap)
		if !errors.Is(err, want) || (want == nil) != (judged.States[migration.StepSwitch].Kind == runner.Todo) {
			t.Errorf("%v, %+v", err, judged)
		}
	}
}
