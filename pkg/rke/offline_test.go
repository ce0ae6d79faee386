package rke

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Skips of checks that need a cluster are ignored. Skips of unknown checks are refused.
func TestOfflinePlan_skips(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.yml")
	if err := os.WriteFile(path, rkefixture.File(t, "plain.yml"), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := OfflinePlan(t.Context(), Options{Config: path, Options: migration.Options{Skip: map[string]string{"AWSM-108": "planned", "AWSM-201": "of a cluster", "AWSM-999": "none"}}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(plan.Report.Results, func(r verify.Result) bool { return r.ID == "AWSM-108" })
	if i < 0 || plan.Report.Results[i].Status != verify.Skip {
		t.Errorf("%+v", plan.Report.Results)
	}
	if refused := fmt.Sprint(plan.Report.Refused); len(plan.Report.Refused) != 1 || !strings.Contains(refused, "AWSM-999") {
		t.Errorf("refused %s", refused)
	}
}

// A file without a version, or of a cluster that cannot be migrated, has no plan. Other errors
// of the file are left to rke.
func TestOfflinePlan_unsupported_noSteps(t *testing.T) {
	plain := rkefixture.File(t, "plain.yml")
	for name, tt := range map[string]struct {
		old, with string
		steps     int
	}{
		"sound":                {"", "", 2},
		"a key rke ignores":    {"cluster_name: shop\n", "cluster_name: shop\ncolour: red\n", 2},
		"no version":           {"kubernetes_version: v1.26.9-rancher1-1\n", "", 0},
		"left to rke":          {"plugin: canal", "plugin: cilium", 2},
		"a version too old":    {"v1.26.9-rancher1-1", "v1.21.14-rancher1-1", 0},
		"a provider not AWS's": {"name: aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: shop\n", "name: gce\n", 0},
	} {
		path := filepath.Join(t.TempDir(), "cluster.yml")
		if err := os.WriteFile(path, []byte(strings.Replace(string(plain), tt.old, tt.with, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		plan, err := OfflinePlan(t.Context(), Options{Config: path})
		if err != nil || len(plan.Steps) != tt.steps {
			t.Errorf("%s: %d steps, %v; want %d", name, len(plan.Steps), err, tt.steps)
		}
	}
}
