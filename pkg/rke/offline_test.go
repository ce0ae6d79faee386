package rke

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
)

// Without its version, or where rke refuses it, a file gets no edit.
func TestNoPlanOfAFileThatRKEWouldNotTake(t *testing.T) {
	plain := rkefixture.File(t, "plain.yml")
	for name, tt := range map[string]struct {
		old, with string
		steps     int
	}{
		"sound":                {"", "", 2},
		"a misspelt key":       {"cluster_name: shop\n", "cluster_name: shop\ncolour: red\n", 2},
		"no version":           {"kubernetes_version: v1.26.9-rancher1-1\n", "", 0},
		"another plugin":       {"plugin: canal", "plugin: cilium", 0},
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
