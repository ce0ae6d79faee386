package procedure

import (
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// An upgrade ends once the CCM of its version is rolled out and audited.
func TestFollowUpgrade(t *testing.T) {
	rolled := runner.Verdict{Kind: runner.Met, Evidence: []string{"2 of 2"}, Done: 2, Total: 3}
	for name, tt := range map[string]struct {
		change func(*Migration, *migration.Snapshot)
		bad    bool
		want   runner.VerdictKind
		waits  string
	}{
		"it has ended":        {func(*Migration, *migration.Snapshot) {}, false, runner.Met, ""},
		"an audit that fails": {func(*Migration, *migration.Snapshot) {}, true, runner.Failed, ""},
		"the image is due":    {func(m *Migration, _ *migration.Snapshot) { m.Options.KubernetesVersion = "" }, false, runner.Waiting, "the cloud controller manager of the new version"},
		"a pod is missing":    {func(_ *Migration, s *migration.Snapshot) { s.Reading.Down.CCMPods = s.Reading.Down.CCMPods[:1] }, false, runner.Waiting, "the CCM's rolling update"},
		"the last pod to be replaced led": {func(_ *Migration, s *migration.Snapshot) {
			s.Reading.Leases.CCM = clustertest.Unwritten(s.Reading.Leases.CCM)
		}, true, runner.Waiting, "a CCM to lead"},
		"it was replaced a moment ago": {func(_ *Migration, s *migration.Snapshot) { s.Reading.Down.CCMPods[1].Started = clustertest.Start }, true, runner.Waiting, "a CCM to lead"},
	} {
		core, client, by := observer(position.P5)
		core.Options.KubernetesVersion = "v1.27.16+rke2r1" // no kubelet runs it: the image is not due
		if tt.bad {
			by.Own = []verify.Bound{clustertest.Failing()}
		}
		core.Options.Skip = map[string]string{"AWSM-311": "the API here says nothing of kubelets"}
		snap := looked(t, core, journal.Record{})
		tt.change(core, &snap)
		got, err := followUpgrade(t.Context(), core, snap, rolled)
		if err != nil || got.Kind != tt.want || got.WaitingFor != tt.waits || tt.want == runner.Met && !slices.Contains(got.Evidence, "2 of 2") {
			t.Errorf("%s: %v %+v", name, err, got)
		}
		client.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil)
		})
		if _, err := followUpgrade(t.Context(), core, snap, rolled); (err == nil) != (name == "the image is due") {
			t.Errorf("%s, events may not be read: %v", name, err)
		}
	}
}

// A rollout that ended before a user cordon was restored, or before its end was confirmed, is
// resumed. A finished rollout and other steps are not.
func TestRollingStep_unfinishedRollout(t *testing.T) {
	uncordoned := clustertest.Prints()
	uncordoned[2].Cordoned = true
	for name, tt := range map[string]struct {
		then     []string // nil if the user had no cordon
		open     bool
		outlives bool
		steps    []journal.StepID
		want     journal.StepID
	}{
		"a cordon is lost":                {[]string{"worker"}, true, false, []journal.StepID{migration.StepSwitch}, migration.StepSwitch},
		"it was seen to its end":          {[]string{"worker"}, false, false, []journal.StepID{migration.StepSwitch}, ""},
		"none is":                         {nil, true, false, []journal.StepID{migration.StepSwitch}, ""},
		"another step came after it":      {[]string{"worker"}, true, false, []journal.StepID{migration.StepSwitch, migration.StepUncordon}, ""},
		"nothing is announced":            {[]string{"worker"}, true, false, nil, ""},
		"its end was not seen":            {nil, true, true, []journal.StepID{migration.StepSwitch}, migration.StepSwitch},
		"it was, and a process may live":  {nil, false, true, []journal.StepID{migration.StepSwitch}, ""},
		"that of another position":        {nil, true, true, []journal.StepID{migration.StepEnable}, ""},
		"of a step that no process knows": {nil, true, true, []journal.StepID{migration.StepDisable}, ""},
	} {
		snap := clustertest.At(position.P4)
		snap.Reading.MayOutlive = tt.outlives
		snap.Record = clustertest.Printed(t, clustertest.Prints()...)
		if tt.then != nil {
			snap.Record = clustertest.Printed(t, uncordoned...)
		}
		for _, id := range tt.steps {
			snap.Record.Intents = append(snap.Record.Intents, journal.Intent{Step: id})
		}
		snap.Record.LeftOpen = tt.open
		s := progress{Snapshot: snap}
		if got := s.rollingStep(position.P4); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestJudge_undo_ownSteps(t *testing.T) {
	got, err := (&Migration{Backend: &clustertest.Editor{}}).Undo().Judge(clustertest.At(position.P2))
	if err != nil || got.States[migration.StepUndoEnable].Kind != runner.Todo || got.States[migration.StepUndoSwitch].Kind != runner.Done || got.Position != "P2" {
		t.Errorf("%v %+v", err, got)
	}
}
