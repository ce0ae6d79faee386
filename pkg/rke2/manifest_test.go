package rke2

import (
	"encoding/json"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// TestRemoval takes a chart's document out again that later steps may have written
// anew.
func TestRemoval(t *testing.T) {
	const doc = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata:\n  name: aws-cloud-controller-manager\n  namespace: kube-system\nspec:\n  valuesContent: flag-on\n"
	const later = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata:\n  name: aws-cloud-controller-manager\n  namespace: kube-system\nspec:\n  valuesContent: flag-off\n"
	for _, tt := range []struct {
		name, before, now, want string
		journal                 bool
	}{
		{"as installed", "a: 1", "", "a: 1", true},
		{"written anew", "a: 1\n", later, "a: 1\n", true},
		{"written anew, without a journal", "a: 1\n", later, "a: 1\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := withManifest(t, tt.before)
			added, err := config.SetChartManifest(before, chartRef, doc)
			if err != nil {
				t.Fatal(err)
			}
			inverse, err := json.Marshal(added.Inverse())
			if err != nil {
				t.Fatal(err)
			}
			now, err := added.Apply(before)
			if err != nil {
				t.Fatal(err)
			}
			if tt.now != "" {
				again, err := config.SetChartManifest(now, chartRef, tt.now)
				if err != nil {
					t.Fatal(err)
				}
				if now, err = again.Apply(now); err != nil {
					t.Fatal(err)
				}
			}
			config := observed{Facts: Facts{Cluster: Cluster{Namespace: "fleet-default", Name: "demo", Spec: now}}}
			var record journal.Record
			if tt.journal {
				record.Intents = []journal.Intent{{Step: migration.StepInstall, Object: config.object(), Inverse: inverse}}
			}
			removal, err := removal(migration.Snapshot{Config: config, Record: record})
			if err != nil {
				t.Fatal(err)
			}
			after, err := removal.Apply(now)
			if err != nil || after.AdditionalManifest != tt.want {
				t.Errorf("left %q, error %v; wanted %q", after.AdditionalManifest, err, tt.want)
			}
			if config.InstalledAs(record) != InstallManifest {
				t.Error("with the document there, it is not installed by it")
			}
			config.Cluster.Spec = after
			if got := config.InstalledAs(record) == InstallManifest; got != tt.journal {
				t.Errorf("once it is gone, installed by it: %v", got)
			}
		})
	}
}

func withManifest(t *testing.T, text string) config.Spec {
	t.Helper()
	spec, err := config.Parse(map[string]any{"kind": "Cluster", "metadata": map[string]any{"namespace": "fleet-default", "name": "demo"},
		"spec": map[string]any{"rkeConfig": map[string]any{"additionalManifest": text}}})
	if err != nil {
		t.Fatal(err)
	}
	return spec
}
