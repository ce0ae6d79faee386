package migration_test

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// An upgrade leads to the same or the next minor version of the same distribution, never to
// an older version.
func TestUpgradeAllowed_versions_sameOrNextMinor(t *testing.T) {
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
