package procedure

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Control planes that joined after the preflight are not cordoned: the next writing step
// reports them.
func TestProgress_newControlPlane_notCordoned(t *testing.T) {
	for name, tt := range map[string]struct {
		known []continuity.NodePrint
		want  []string
	}{
		"no preflight yet": {nil, []string{"cp-0", "cp-1"}},
		"all were there":   {clustertest.Prints(), []string{"cp-0", "cp-1"}},
		"cp-1 joined":      {clustertest.Prints()[:1], []string{"cp-0"}},
	} {
		snap := clustertest.At(position.P2)
		if tt.known != nil {
			snap.Record = clustertest.Printed(t, tt.known...)
		}
		c := &Migration{Backend: &clustertest.Editor{}}
		if got := c.progress(snap).Cordon.Open; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestCordonSteps(t *testing.T) {
	type end struct {
		plan, seen string
		kind       runner.VerdictKind
		evidence   []string
	}
	both := func(r *migration.Reading) {
		clustertest.CordonByUs(&r.Down.Nodes[0])
		clustertest.CordonByUs(&r.Down.Nodes[1])
	}
	for name, tt := range map[string]struct {
		id     journal.StepID
		change func(*migration.Reading)
		want   end
	}{
		"cordon: none yet":              {migration.StepCordon, func(*migration.Reading) {}, end{"cordon cp-0, cp-1", "cp-0, cp-1 schedulable", runner.Waiting, nil}},
		"cordon: one is left":           {migration.StepCordon, func(r *migration.Reading) { clustertest.CordonByUs(&r.Down.Nodes[1]) }, end{"cordon cp-0", "cp-0 schedulable", runner.Waiting, nil}},
		"cordon: all":                   {migration.StepCordon, both, end{"", "", runner.Met, []string{"2 control-plane nodes cordoned"}}},
		"cordon: one is its user's":     {migration.StepCordon, func(r *migration.Reading) { both(r); r.Down.Nodes[0].Annotations = nil }, end{"", "", runner.Met, []string{"1 control-plane node cordoned"}}},
		"cordon: another is its user's": {migration.StepCordon, func(r *migration.Reading) { r.Down.Nodes[0].Unschedulable = true }, end{"cordon cp-1; cp-0 cordoned before and left alone", "cp-1 schedulable", runner.Waiting, nil}},
		"uncordon: both are left":       {migration.StepUncordon, both, end{"uncordon cp-0, cp-1", "cp-0, cp-1 still cordoned by us", runner.Waiting, nil}},
		"uncordon: one is left":         {migration.StepUncordon, func(r *migration.Reading) { clustertest.CordonByUs(&r.Down.Nodes[1]) }, end{"uncordon cp-0, cp-1", "cp-1 still cordoned by us", runner.Waiting, nil}},
		"uncordon: none is left":        {migration.StepUncordon, func(*migration.Reading) {}, end{"", "", runner.Met, []string{"no node is cordoned by awsmigrate"}}},
		"uncordon: a user's is left":    {migration.StepUncordon, func(r *migration.Reading) { r.Down.Nodes[2].Unschedulable = true }, end{"", "", runner.Met, []string{"no node is cordoned by awsmigrate; 1 cordoned by their user, as before"}}},
		"uncordon: only our mark left": {migration.StepUncordon, func(r *migration.Reading) {
			clustertest.CordonByUs(&r.Down.Nodes[0])
			r.Down.Nodes[0].Unschedulable = false
		}, end{"uncordon cp-0, cp-1", "cp-0 still cordoned by us", runner.Waiting, nil}},
	} {
		snap := clustertest.At(position.P3)
		tt.change(&snap.Reading)
		step := makeStep(base{Migration: &Migration{}, ID: tt.id})
		plan, err := step.Plan(t.Context(), snap)
		verdict, failed := step.Verify(t.Context(), clustertest.TxFor(t, tt.id), snap)
		if verdict.Kind == runner.Met {
			plan = runner.Plan{} // the step does not run
		}
		if got := (end{strings.Join(plan.Summary, "|"), verdict.Seen, verdict.Kind, verdict.Evidence}); err != nil || failed != nil || !cmp.Equal(got, tt.want, cmp.AllowUnexported(end{})) {
			t.Errorf("%s: %v, %v, %+v", name, err, failed, got)
		}
		if verdict.Kind == runner.Met && verdict.Stable != 1 || verdict.Kind == runner.Waiting && verdict.Progress != verdict.Seen {
			t.Errorf("%s: %+v", name, verdict)
		}
	}
}

// The steps write Node by Node. The fake clientset ignores preconditions, which awsccm's tests
// check against a server.
func TestCordonSteps_writes(t *testing.T) {
	cordon := func(snap *migration.Snapshot) { clustertest.CordonByUs(&snap.Reading.Down.Nodes[1]) }
	for name, tt := range map[string]struct {
		do   func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error
		then []continuity.NodePrint
		want []string
	}{
		"cordon open nodes": {func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
			return makeStep(base{Migration: m, ID: migration.StepCordon}).Do(t.Context(), tx, snap)
		}, nil, []string{"patch nodes/cp-0"}},
		"remove our cordons": {func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
			return makeStep(base{Migration: m, ID: migration.StepUncordon}).Do(t.Context(), tx, snap)
		}, nil, []string{"patch nodes/cp-1"}},
		"set a user's again": {func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
			return m.RestoreUserCordons(t.Context(), tx, snap)
		},
			[]continuity.NodePrint{{Name: "worker", UID: "uid-worker", Cordoned: true}}, []string{"patch nodes/worker"}},
	} {
		client := fake.NewClientset(
			&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "cp-0", UID: "uid-cp-0"}},
			&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "cp-1", UID: "uid-cp-1", Annotations: map[string]string{downstream.AnnotationOurs: "run"}}},
			&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker", UID: "uid-worker"}})
		snap, tx := clustertest.At(position.P3), clustertest.TxFor(t, migration.StepCordon)
		cordon(&snap)
		if tt.then != nil {
			snap.Record = clustertest.Printed(t, tt.then...)
		}
		err := tt.do(&Migration{Access: migration.Access{Kube: client, Options: migration.Options{RunID: "r"}}}, tx, snap)
		if d := cmp.Diff(tt.want, clustertest.Writes(client)); err != nil || d != "" || len(tx.Record().Intents) != 1 {
			t.Errorf("%s: %v %s, intents %+v", name, err, d, tx.Record().Intents)
		}
	}
}

// The first failed write stops the step; without failure every Node is written.
func TestCordonSteps_writeFails_stops(t *testing.T) {
	names := []string{"cp-0", "cp-1"}
	for name, tt := range map[string]struct {
		do     func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error
		change func(*downstream.Node)
	}{
		"cordon": {func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
			return makeStep(base{Migration: m, ID: migration.StepCordon}).Do(t.Context(), tx, snap)
		}, func(*downstream.Node) {}},
		"uncordon": {func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
			return makeStep(base{Migration: m, ID: migration.StepUncordon}).Do(t.Context(), tx, snap)
		}, clustertest.CordonByUs},
		"set the user's again": {func(m *Migration, tx *runner.Tx, snap migration.Snapshot) error {
			return m.RestoreUserCordons(t.Context(), tx, snap)
		}, func(*downstream.Node) {}},
	} {
		for refused, want := range map[string]int{"": 2, "cp-0": 1, "cp-1": 2} {
			client := fake.NewClientset()
			client.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
				return action.(clienttesting.PatchAction).GetName() == refused, nil, clustertest.ErrAway
			})
			snap, tx := clustertest.At(position.P3), clustertest.TxFor(t, migration.StepCordon)
			var prints []continuity.NodePrint
			for i, node := range names {
				uid := "uid-" + node
				tt.change(&snap.Reading.Down.Nodes[i])
				prints = append(prints, continuity.NodePrint{Name: node, UID: uid, Cordoned: true})
				if err := client.Tracker().Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID(uid), Annotations: snap.Reading.Down.Nodes[i].Annotations}}); err != nil {
					t.Fatal(err)
				}
			}
			if name == "set the user's again" {
				snap.Record = clustertest.Printed(t, prints...)
			}
			err := tt.do(&Migration{Access: migration.Access{Kube: client, Options: migration.Options{RunID: "r"}}}, tx, snap)
			if errors.Is(err, clustertest.ErrAway) != (refused != "") || err != nil && refused == "" || len(tx.Record().Intents) != want {
				t.Errorf("%s, %q refused: %v, announced %+v", name, refused, err, tx.Record().Intents)
			}
		}
	}
}

// The API server's answer decides. The step does not wait for a Role that was removed again.
func TestLeaseAccess(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*downstream.Cluster)
		want   runner.VerdictKind
	}{
		"both rights":                  {func(*downstream.Cluster) {}, runner.Met},
		"not get yet":                  {func(d *downstream.Cluster) { d.MayGet = false }, runner.Waiting},
		"not update yet":               {func(d *downstream.Cluster) { d.MayUpdate = false }, runner.Waiting},
		"no right, and not our grant":  {func(d *downstream.Cluster) { d.MayUpdate, d.OwnGrant = false, false }, runner.Failed},
		"the right has another source": {func(d *downstream.Cluster) { d.OwnGrant = false }, runner.Met},
	} {
		snap := clustertest.At(position.P1)
		tt.change(&snap.Reading.Down)
		got, err := (&leaseAccess{}).Verify(t.Context(), nil, snap)
		if err != nil || got.Kind != tt.want || got.Kind == runner.Met && got.Stable != 1 {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	client, tx := fake.NewClientset(), clustertest.TxFor(t, migration.StepLeaseAccess)
	if err := (&leaseAccess{base{Migration: &Migration{Access: migration.Access{Kube: client}}}}).Do(t.Context(), tx, clustertest.At(position.P0)); err != nil {
		t.Error(err)
	}
	want := []string{"create roles/" + wellknown.Grant, "create rolebindings/" + wellknown.Grant}
	if d := cmp.Diff(want, clustertest.Writes(client)); d != "" {
		t.Error(d)
	}
	plan, err := (&leaseAccess{}).Plan(t.Context(), clustertest.At(position.P0))
	if err != nil || len(plan.Changes) != 1 || !strings.Contains(plan.Changes[0].Diff, "get, update, patch lease "+wellknown.MigrationLease) {
		t.Errorf("%v %+v", err, plan)
	}
}
