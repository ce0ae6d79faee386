package rke2

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

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
		{"no field before", "", "", "", true},
		{"no field before, written anew", "", later, "", true},
		{"no line break before, written anew", "a: 1", later, "a: 1", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := withManifest(t, tt.before)
			added, err := edits.SetChartManifest(before, chartRef, doc)
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
				again, err := edits.SetChartManifest(now, chartRef, tt.now)
				if err != nil {
					t.Fatal(err)
				}
				if now, err = again.Apply(now); err != nil {
					t.Fatal(err)
				}
			}
			config := observed{Facts: rancher.Facts{Cluster: rancher.Cluster{Namespace: "fleet-default", Name: "demo", Spec: now}}}
			var record journal.Record
			if tt.journal {
				record.Intents = []journal.Intent{{Step: migration.StepInstall, Object: config.ObjectName(), Inverse: inverse}}
			}
			removal, err := removal(migration.Snapshot{Config: config, Record: record})
			if err != nil {
				t.Fatal(err)
			}
			after, err := removal.Apply(now)
			if err != nil || after.AdditionalManifest != tt.want || after.HasManifest != before.HasManifest {
				t.Errorf("left %q, error %v; wanted %q", after.AdditionalManifest, err, tt.want)
			}
			config.record = record
			if config.installedAs() != migration.InstallManifest {
				t.Error("with the document there, it is not installed by it")
			}
			config.Cluster.Spec = after
			if got := config.installedAs() == migration.InstallManifest; got != tt.journal {
				t.Errorf("once it is gone, installed by it: %v", got)
			}
		})
	}
}

func withManifest(t *testing.T, text string) config.Spec {
	t.Helper()
	rke := map[string]any{}
	if text != "" {
		rke["additionalManifest"] = text
	}
	spec, err := config.Parse(map[string]any{"kind": "Cluster", "metadata": map[string]any{"namespace": "fleet-default", "name": "demo"},
		"spec": map[string]any{"rkeConfig": rke}})
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestBackendDocument_writeTwiceThenRemove_once(t *testing.T) {
	const document = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata:\n  name: aws-cloud-controller-manager\n  namespace: kube-system\nspec:\n  valuesContent: x\n"
	p, client := newMigration(t, Options{Options: migration.Options{InstallMethod: migration.InstallManifest}}, nil)
	tx := clustertest.TxOf(t, "run-2", migration.StepInstall)
	manifest := func() string {
		text, _, _ := unstructured.NestedString(specOf(t, client), "rkeConfig", "additionalManifest")
		return text
	}
	write := func(document string) error {
		edit, err := p.Document(p.observe(t, tx.Record()), document)
		if err != nil || edit.Empty() {
			return err
		}
		return edit.Write(t.Context(), tx)
	}
	planned, err := p.Document(p.observe(t, tx.Record()), document)
	if err != nil || len(planned.Changes) != 1 || planned.Changes[0].Object != "Cluster fleet-default/demo" {
		t.Errorf("%v %+v", err, planned.Changes)
	}
	for range 2 {
		if err := write(document); err != nil || manifest() != document || len(tx.Record().Intents) != 1 {
			t.Errorf("%v, %q, %+v", err, manifest(), tx.Record().Intents)
		}
	}
	if err := write("no: document\n"); err == nil {
		t.Error("a document of something else was written")
	}
	tx = clustertest.TxOf(t, "run-2", migration.StepUndoInstall, tx.Record().Intents...)
	for range 2 {
		if err := write(""); err != nil || manifest() != "" || len(tx.Record().Intents) != 2 {
			t.Errorf("%v, %q, %+v", err, manifest(), tx.Record().Intents)
		}
	}
}
