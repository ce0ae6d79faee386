package rke2

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// aRancher has one RKEControlPlane, with annotations, and may be refused its pause. What
// it leaves out: preconditions, which a real server holds in TestPauseBesideAnotherWriter,
// and the Cluster, whose patches it takes without looking.
func aRancher(refused bool, annotations map[string]any) *dynamicfake.FakeDynamicClient {
	plane := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane",
		"metadata": map[string]any{"namespace": "fleet-default", "name": "demo", "annotations": annotations}}}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{controlPlanesGVR: "RKEControlPlaneList", clustersGVR: "ClusterList"}, plane)
	client.PrependReactor("patch", clustersGVR.Resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, plane, nil })
	client.PrependReactor("patch", controlPlanesGVR.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return refused, nil, apierrors.NewForbidden(controlPlanesGVR.GroupResource(), "demo", nil)
	})
	return client
}

func patched(client *dynamicfake.FakeDynamicClient) []string {
	var all []string
	for _, action := range client.Actions() {
		if action.GetVerb() == "patch" {
			all = append(all, action.GetResource().Resource)
		}
	}
	return all
}

func ofDemo(client *dynamicfake.FakeDynamicClient) *Backend {
	p := &Backend{clients: Clients{Management: client}, placed: map[journal.StepID]placed{}}
	p.options.Namespace, p.options.Name, p.options.RunID = "fleet-default", "demo", "run-2"
	return p
}

func journaled(t *testing.T, id journal.StepID, intents ...journal.Intent) *runner.Tx {
	t.Helper()
	kept := &journal.Memory{}
	options := runner.Options{RunID: "run-2", Journal: kept, Lock: (&lock.Memory{}).For(lock.Owner{})}
	err := options.Lock.Acquire(t.Context())
	if err == nil {
		err = kept.Commit(t.Context(), &journal.State{Intents: intents})
	}
	if err != nil {
		t.Fatal(err)
	}
	tx, err := runner.NewTx(t.Context(), runner.Info{ID: id}, options)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// flagging is the intent of a step's edit that put the flag on, and the cluster with it.
func flagging(t *testing.T, step journal.StepID) (journal.Intent, Facts) {
	t.Helper()
	facts := posted()
	facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws"}, nil
	edit, err := config.EnableLeaderMigration(facts.Cluster.Spec, facts.Configs())
	if err != nil || edit.Empty() {
		t.Fatal(err, "nothing to edit")
	}
	raw, err := json.Marshal(edit.Inverse())
	if err != nil {
		t.Fatal(err)
	}
	if facts.Cluster.Spec, err = edit.Apply(facts.Cluster.Spec); err != nil {
		t.Fatal(err)
	}
	return journal.Intent{Step: step, Object: facts.object(), Inverse: raw}, facts
}

// The brake pauses Rancher; where that is refused it takes the last edit of the step back;
// and where something holds the cluster already, it writes nothing.
func TestBrake(t *testing.T) {
	edit, facts := flagging(t, StepEnable)
	other, _ := flagging(t, StepSwitch)
	elsewhere := edit
	elsewhere.Object = "Cluster fleet-default/other"
	isPaused := facts
	isPaused.ControlPlane.Paused = true
	gone := facts
	gone.Cluster.Spec = config.Spec{Object: facts.Cluster.Spec.Object, Global: map[string]any{config.KeyProvider: "aws"}}
	const planes, clusters = "rkecontrolplanes", "clusters"
	for name, tt := range map[string]struct {
		facts       Facts
		refused     bool
		annotations map[string]any
		journal     []journal.Intent
		writes      []string
		done, fails string
	}{
		"it pauses":                               {facts, false, nil, []journal.Intent{edit}, []string{planes}, "Rancher is paused for this cluster", ""},
		"it is seen to be paused":                 {isPaused, false, nil, []journal.Intent{edit}, nil, "is paused already", ""},
		"somebody pauses it meanwhile":            {facts, false, map[string]any{pausedAnnotation: "true"}, []journal.Intent{edit}, nil, "is paused already", ""},
		"refused, the edit goes":                  {facts, true, nil, []journal.Intent{edit}, []string{planes, clusters}, "the inverse edit was posted instead", ""},
		"refused, and no edit was made":           {facts, true, nil, nil, []string{planes}, "", "the journal holds no edit of step enable-leader-migration"},
		"refused, the edit is of another step":    {facts, true, nil, []journal.Intent{other}, []string{planes}, "", "the journal holds no edit of step"},
		"refused, the edit is of another cluster": {facts, true, nil, []journal.Intent{elsewhere}, []string{planes}, "", "the journal holds no edit of step"},
		"refused, the edit is gone":               {gone, true, nil, []journal.Intent{edit}, []string{planes}, "nothing was written", ""},
	} {
		client := aRancher(tt.refused, tt.annotations)
		done, err := ofDemo(client).Brake(t.Context(), journaled(t, StepEnable, tt.journal...), migration.Snapshot{Config: observed{Facts: tt.facts}}, nil)
		if !slices.Equal(patched(client), tt.writes) || !strings.Contains(done, tt.done) || (done == "") != (tt.done == "") {
			t.Errorf("%s: %q, patched %v", name, done, patched(client))
		}
		if (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An undo ends the pause of a brake only once Rancher's own copy is without the edit, and
// never a pause of somebody else's.
func TestPauseIsReleased(t *testing.T) {
	with := map[string]any{"machineGlobalConfig": map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}}
	without := map[string]any{"machineGlobalConfig": map[string]any{config.KeyProvider: "aws"}}
	for name, tt := range map[string]struct {
		step     journal.StepID
		copied   map[string]any
		change   func(*ControlPlane)
		released bool
		fails    bool
	}{
		"the copy is without the edit":   {step: migration.StepUndoEnable, copied: without, released: true},
		"the copy has it still":          {step: migration.StepUndoEnable, copied: with},
		"nothing is paused":              {step: migration.StepUndoEnable, copied: without, change: func(c *ControlPlane) { c.Paused = false }},
		"somebody else paused it":        {step: migration.StepUndoEnable, copied: without, change: func(c *ControlPlane) { c.PausedBy = "" }},
		"a step that goes forwards":      {step: StepEnable, copied: with},
		"the switch back, in-tree again": {step: migration.StepUndoSwitch, copied: with, released: true},
		"the switch back, external":      {step: migration.StepUndoSwitch, copied: map[string]any{"machineGlobalConfig": map[string]any{config.KeyProvider: "external"}}},
	} {
		client := aRancher(false, map[string]any{pausedAnnotation: "true", pausedByAnnotation: "run-1"})
		facts := posted()
		facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws"}, nil
		facts.ControlPlane.Spec, facts.ControlPlane.Paused, facts.ControlPlane.PausedBy = tt.copied, true, "run-1"
		if tt.change != nil {
			tt.change(&facts.ControlPlane)
		}
		busy, err := ofDemo(client).WhileRolling(t.Context(), journaled(t, tt.step), migration.Snapshot{Config: observed{Facts: facts}}, tt.step)
		if busy || (len(patched(client)) == 1) != tt.released || err != nil && tt.released {
			t.Errorf("%s: busy %t, %v, patched %v", name, busy, err, patched(client))
		}
		left, err := client.Resource(controlPlanesGVR).Namespace("fleet-default").Get(t.Context(), "demo", metav1.GetOptions{})
		if err != nil || (len(left.GetAnnotations()) == 0) != tt.released {
			t.Errorf("%s: %v, left %v", name, err, left.GetAnnotations())
		}
	}
}

// What Rancher's copy, or the user's own object, lacks of the edit of a step.
func TestMissing(t *testing.T) {
	plain := config.Spec{Object: "Cluster fleet-default/demo", KubernetesVersion: "v1.26.13+rke2r1", Global: map[string]any{config.KeyProvider: "aws"}}
	with := func(change func(*config.Spec)) config.Spec {
		spec := plain
		change(&spec)
		return spec
	}
	flagged := with(func(s *config.Spec) {
		s.Global = map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}
	})
	for name, tt := range map[string]struct {
		step journal.StepID
		spec config.Spec
		has  bool
		at   string // a place that it lacks
	}{
		"the flag":                  {StepEnable, flagged, true, ""},
		"no flag":                   {StepEnable, plain, false, "machineSelectorConfig"},
		"no flag left":              {migration.StepUndoEnable, plain, true, ""},
		"the flag is left":          {migration.StepUndoEnable, flagged, false, "kube-controller-manager-arg"},
		"the version":               {StepUpgrade, with(func(s *config.Spec) { s.KubernetesVersion = "v1.27.16+rke2r1" }), true, ""},
		"another version":           {StepUpgrade, plain, false, "spec.kubernetesVersion"},
		"a step that edits nothing": {migration.StepInstall, plain, false, "edits nothing"},
	} {
		p := &Backend{options: Options{EndState: EndOverrides}}
		p.options.KubernetesVersion = "v1.27.16+rke2r1"
		facts := posted()
		facts.Cluster.Spec = plain
		has, lacks := p.missing(migration.Snapshot{Config: observed{Facts: facts}}, tt.step)(tt.spec)
		if has != tt.has || !has && !strings.Contains(strings.Join(lacks, " "), tt.at) {
			t.Errorf("%s: has %t, lacks %q", name, has, lacks)
		}
	}
}

// A step fails where its edit is gone from the user's own object, and says who was last.
func TestTakenBackByStep(t *testing.T) {
	for name, tt := range map[string]struct {
		step    journal.StepID
		version string
		global  map[string]any
		says    string // "": it is in place
	}{
		"the version is there":  {StepUpgrade, "v1.27.16+rke2r1", nil, ""},
		"another version is":    {StepUpgrade, "v1.26.13+rke2r1", nil, "by terraform while it was rolled out: spec.kubernetesVersion is v1.26.13+rke2r1"},
		"a later version is":    {StepUpgrade, "v1.27.17+rke2r1", nil, "spec.kubernetesVersion is v1.27.17+rke2r1"},
		"the flag is there":     {StepEnable, "", map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, ""},
		"the flag is gone":      {StepEnable, "", map[string]any{config.KeyProvider: "aws"}, "by terraform while it was rolled out: "},
		"it cannot be computed": {migration.StepInstall, "", nil, ""},
	} {
		p := ofDemo(nil)
		p.options.KubernetesVersion = "v1.27.16+rke2r1"
		facts := posted()
		facts.Cluster.Spec.KubernetesVersion, facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools, facts.Cluster.LastWriter = tt.version, tt.global, nil, "terraform"
		got := p.takenBack(migration.Snapshot{Config: observed{Facts: facts}}, tt.step)
		if (got == nil) != (tt.says == "") {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if got == nil {
			continue
		}
		if f, ok := fault.As(got.Err); !ok || got.Kind != runner.Failed || f.Reason != "EditTakenBack" || !strings.Contains(f.Seen, tt.says) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
