package migration_test

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// An upgrade goes to the same or the next minor version of the same distribution, and
// never back.
func TestUpgradeAllowed(t *testing.T) {
	const now = "v1.26.15+rke2r1"
	for _, tt := range []struct {
		now, target string
		allowed     bool
	}{
		{now, "v1.26.15+rke2r1", true}, {now, "v1.26.16+rke2r1", true}, {now, "v1.27.0+rke2r1", true}, {now, "v1.27.16+rke2r2", true},
		{now, "v1.28.0+rke2r1", false}, {now, "v1.26.14+rke2r1", false}, {now, "v1.25.16+rke2r1", false}, {now, "v2.26.15+rke2r1", false}, {now, "v2.27.0+rke2r1", false},
		{now, "v1.27.16", false}, {now, "v1.27.16-rancher1-1", false}, {now, "+rke2", false}, {now, "", false}, {"unknown", "v1.27.16+rke2r1", false}, {"", "v1.27.16+rke2r1", false},
	} {
		if err := migration.UpgradeAllowed(tt.now, tt.target, "+rke2"); (err == nil) != tt.allowed || err != nil && clustertest.ReasonOf(err) != "UpgradeNotAllowed" {
			t.Errorf("%s to %s: %v", tt.now, tt.target, err)
		}
	}
}

// Which Nodes do not run a version yet.
func TestKubeletsUpgraded(t *testing.T) {
	r := clustertest.At(position.P5).Reading
	r.Down.Nodes[1].Kubelet = "v1.27.16+rke2r1"
	open, done, evidence := r.KubeletsUpgraded("v1.27.16+rke2r1")
	if !slices.Equal(open, []string{"Node cp-0 runs v1.26.15+rke2r1", "Node worker runs v1.26.15+rke2r1"}) || done != 1 || evidence != "1 of 3 kubelets run v1.27.16+rke2r1" {
		t.Errorf("%q, %d, %q", open, done, evidence)
	}
}
