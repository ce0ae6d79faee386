package rke2

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

func TestEncodeBundle_options_stored(t *testing.T) {
	b := &Backend{options: Options{EndState: rke2checks.EndOverrides,
		Options: migration.Options{KubernetesVersion: "v1.27.16+rke2r1", OwnersInformed: []string{"fleet"}}}}
	snap := migration.Snapshot{Config: observed{Facts: rancherfixture.Resting()}, Reading: migration.Reading{Stale: map[string]bool{"b": true, "a": true}}}
	text, err := b.EncodeBundle(snap, true, bundle.NewRedactor())
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]any
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	if facts, is := kept["facts"].(map[string]any); !is || facts["Cluster"] == nil {
		t.Errorf("facts %v", kept["facts"])
	}
	delete(kept, "facts")
	want := map[string]any{"endState": "overrides", "kubernetesVersion": "v1.27.16+rke2r1", "writes": true,
		"ownersInformed": []any{"fleet"}, "stale": []any{"a", "b"}}
	if !reflect.DeepEqual(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}

func TestBackendEvidence(t *testing.T) {
	b := &Backend{options: Options{EndState: rke2checks.EndOverrides}}
	facts := rancherfixture.Posted()
	facts.Cluster.Spec.Global[config.KeyRegistry] = "registry.local"
	snap := migration.Snapshot{Config: observed{Facts: facts}}
	var input evidence.Input
	b.Evidence(t.Context(), snap, &input)
	if input.EndState != evidence.EndState(rke2checks.EndOverrides) || len(input.Registries) != 1 || input.Registries[0].Default != "registry.local" {
		t.Errorf("%q, %+v", input.EndState, input.Registries)
	}
}
