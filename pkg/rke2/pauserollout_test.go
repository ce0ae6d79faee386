package rke2

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// fakeRancher returns a client with one RKEControlPlane. If refused is true, it rejects the
// pause. It ignores preconditions, which TestPauseBesideAnotherWriter covers on a real
// server, and accepts every patch of a Cluster.
func fakeRancher(refused bool, annotations map[string]any) *dynamicfake.FakeDynamicClient {
	plane := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane",
		"metadata": map[string]any{"namespace": "fleet-default", "name": "demo", "annotations": annotations}}}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{rancherfixture.ControlPlanes: "RKEControlPlaneList", rancherfixture.Clusters: "ClusterList"}, plane)
	client.PrependReactor("patch", rancherfixture.Clusters.Resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, plane, nil })
	client.PrependReactor("patch", rancherfixture.ControlPlanes.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return refused, nil, apierrors.NewForbidden(rancherfixture.ControlPlanes.GroupResource(), "demo", nil)
	})
	return client
}

func patchedResources(client *dynamicfake.FakeDynamicClient) []string {
	var all []string
	for _, action := range client.Actions() {
		if action.GetVerb() == "patch" {
			all = append(all, action.GetResource().Resource)
		}
	}
	return all
}

func newBackend(client *dynamicfake.FakeDynamicClient) *Backend {
	p := &Backend{clients: rancher.Clients{Management: client}}
	p.options.Namespace, p.options.Name, p.options.RunID = "fleet-default", "demo", "run-2"
	return p
}

// flagEdit returns the intent of a step that added the flag, and the cluster with the flag.
func flagEdit(t *testing.T, step journal.StepID) (journal.Intent, rancher.Facts) {
	t.Helper()
	facts := rancherfixture.Posted()
	facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws"}, nil
	edit, err := edits.EnableLeaderMigration(facts.Cluster.Spec, facts.Configs())
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
	return journal.Intent{Step: step, Object: facts.ObjectName(), Inverse: raw}, facts
}

func TestBackend_PauseRollout(t *testing.T) {
	edit, facts := flagEdit(t, migration.StepEnable)
	other, _ := flagEdit(t, migration.StepSwitch)
	elsewhere := edit
	elsewhere.Object = "Cluster fleet-default/other"
	isPaused := facts
	isPaused.ControlPlane.Paused = true
	gone := facts
	gone.Cluster.Spec = config.Spec{Object: facts.Cluster.Spec.Object, Global: map[string]any{config.KeyProvider: "aws"}}
	const planes, clusters = "rkecontrolplanes", "clusters"
	for name, tt := range map[string]struct {
		facts       rancher.Facts
		refused     bool
		annotations map[string]any
		journal     []journal.Intent
		writes      []string
		done, fails string
	}{
		"it pauses":                               {facts, false, nil, []journal.Intent{edit}, []string{planes}, "Rancher is paused for this cluster", ""},
		"the snapshot shows a pause":              {isPaused, false, nil, []journal.Intent{edit}, nil, "is paused already", ""},
		"a user pauses it meanwhile":              {facts, false, map[string]any{rancher.PausedAnnotation: "true"}, []journal.Intent{edit}, nil, "is paused already", ""},
		"refused, the edit goes":                  {facts, true, nil, []journal.Intent{edit}, []string{planes, clusters}, "the inverse edit was posted instead", ""},
		"refused, and no edit was made":           {facts, true, nil, nil, []string{planes}, "", "the journal holds no edit of step enable-leader-migration"},
		"refused, the edit is of another step":    {facts, true, nil, []journal.Intent{other}, []string{planes}, "", "the journal holds no edit of step"},
		"refused, the edit is of another cluster": {facts, true, nil, []journal.Intent{elsewhere}, []string{planes}, "", "the journal holds no edit of step"},
		"refused, the edit is gone":               {gone, true, nil, []journal.Intent{edit}, []string{planes}, "nothing was written", ""},
	} {
		client := fakeRancher(tt.refused, tt.annotations)
		done, err := newBackend(client).PauseRollout(t.Context(), clustertest.TxOf(t, "run-2", migration.StepEnable, tt.journal...), migration.Snapshot{Config: observed{Facts: tt.facts}}, nil)
		if !slices.Equal(patchedResources(client), tt.writes) || !strings.Contains(done, tt.done) || (done == "") != (tt.done == "") {
			t.Errorf("%s: %q, patched %v", name, done, patchedResources(client))
		}
		if (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPostInverse_journal_posted(t *testing.T) {
	edit, facts := flagEdit(t, migration.StepEnable)
	broken := edit
	broken.Inverse = []byte(`"text"`)
	empty := edit
	empty.Inverse = nil
	for name, tt := range map[string]struct {
		journal []journal.Intent
		posted  bool
		fails   bool
	}{
		"it":                   {[]journal.Intent{edit}, true, false},
		"it, and one without":  {[]journal.Intent{edit, empty}, true, false},
		"it cannot be read":    {[]journal.Intent{broken}, false, true},
		"the last of two":      {[]journal.Intent{broken, edit}, true, false},
		"the last is not read": {[]journal.Intent{edit, broken}, false, true},
		"none":                 {nil, false, true},
	} {
		client := fakeRancher(false, nil)
		posted, err := newBackend(client).postInverse(t.Context(), clustertest.TxOf(t, "run-2", migration.StepEnable, tt.journal...), facts)
		if (err != nil) != tt.fails || err == nil && posted != tt.posted || (len(patchedResources(client)) == 1) != tt.posted {
			t.Errorf("%s: posted %t, %v, %v", name, posted, err, patchedResources(client))
		}
	}
}
