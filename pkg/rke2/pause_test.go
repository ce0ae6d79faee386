package rke2

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

func TestPause_conflict_retriesUpToLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		conflicts int
		err       error
		tries     int
		paused    bool
	}{
		"at once":           {0, nil, 1, true},
		"it moved twice":    {2, nil, 3, true},
		"it moves for ever": {100, nil, maxPauseTries, false},
		"refused":           {0, apierrors.NewForbidden(rancherfixture.ControlPlanes.GroupResource(), "", nil), 1, false},
		"it cannot be read": {0, nil, 0, false},
	} {
		client := fakeRancher(false, nil)
		tries := 0
		client.PrependReactor("patch", rancherfixture.ControlPlanes.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			if tries++; tries <= tt.conflicts {
				return true, nil, apierrors.NewConflict(rancherfixture.ControlPlanes.GroupResource(), "demo", nil)
			}
			return tt.err != nil, nil, tt.err
		})
		object := "demo"
		if name == "it cannot be read" {
			object = "gone"
		}
		paused, err := pause(t.Context(), client.Resource(rancherfixture.ControlPlanes).Namespace("fleet-default"), object, "run")
		if paused != tt.paused || (err == nil) != tt.paused || tries != tt.tries {
			t.Errorf("%s: paused %t after %d tries, %v", name, paused, tries, err)
		}
	}
}

// An undo ends a run's pause only if Rancher's own copy is without the edit. A migration
// step ends a pause that the user requested, once all Nodes are ready. Neither ends a pause
// of another writer.
func TestPauseIsReleased(t *testing.T) {
	with := map[string]any{"machineGlobalConfig": map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}}
	without := map[string]any{"machineGlobalConfig": map[string]any{config.KeyProvider: "aws"}}
	for name, tt := range map[string]struct {
		step     journal.StepID
		copied   map[string]any
		change   func(*rancher.ControlPlane)
		asked    string // run that the user asked to pause the rollout
		off      bool   // whether a Node is not Ready
		released bool
		fails    bool
	}{
		"the copy is without the edit":    {step: migration.StepUndoEnable, copied: without, released: true},
		"the copy has it still":           {step: migration.StepUndoEnable, copied: with},
		"nothing is paused":               {step: migration.StepUndoEnable, copied: without, change: func(c *rancher.ControlPlane) { c.Paused = false }},
		"another writer paused it":        {step: migration.StepUndoEnable, copied: without, change: func(c *rancher.ControlPlane) { c.PausedBy = "" }},
		"forwards, without a request":     {step: migration.StepEnable, copied: with},
		"forwards, asked for":             {step: migration.StepEnable, copied: with, asked: "run-1", released: true},
		"forwards, a machine is not back": {step: migration.StepEnable, copied: with, asked: "run-1", off: true},
		"forwards, asked for in another":  {step: migration.StepSwitch, copied: with, asked: "run-0"},
		"forwards, another writer's":      {step: migration.StepSwitch, copied: with, asked: "run-1", change: func(c *rancher.ControlPlane) { c.PausedBy = "" }},
		"the copy cannot be read":         {step: migration.StepUndoEnable, copied: map[string]any{"machineGlobalConfig": []any{}}, fails: true},
		"the switch back, in-tree again":  {step: migration.StepUndoSwitch, copied: with, released: true},
		"the switch back, external":       {step: migration.StepUndoSwitch, copied: map[string]any{"machineGlobalConfig": map[string]any{config.KeyProvider: "external"}}},
	} {
		client := fakeRancher(false, map[string]any{rancher.PausedAnnotation: "true", rancher.PausedByAnnotation: "run-1"})
		facts := rancherfixture.Posted()
		facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws"}, nil
		facts.ControlPlane.Spec, facts.ControlPlane.Paused, facts.ControlPlane.PausedBy = tt.copied, true, "run-1"
		if tt.change != nil {
			tt.change(&facts.ControlPlane)
		}
		snap := migration.Snapshot{Config: observed{Facts: facts}, Record: journal.Record{RequestedPause: tt.asked}}
		if tt.off {
			snap.Reading.Down.Nodes = []downstream.Node{{Name: "n"}}
		}
		busy, err := newBackend(client).WhileRolling(t.Context(), clustertest.TxOf(t, "run-2", tt.step), snap, procedure.EditingOf(tt.step, migration.Options{}))
		if busy || (len(patchedResources(client)) == 1) != tt.released || (err != nil) != tt.fails {
			t.Errorf("%s: busy %t, %v, patched %v", name, busy, err, patchedResources(client))
		}
		left, err := client.Resource(rancherfixture.ControlPlanes).Namespace("fleet-default").Get(t.Context(), "demo", metav1.GetOptions{})
		if err != nil || (len(left.GetAnnotations()) == 0) != tt.released {
			t.Errorf("%s: %v, left %v", name, err, left.GetAnnotations())
		}
	}
}
