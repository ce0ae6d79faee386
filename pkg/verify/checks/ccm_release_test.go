package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A run adopts or creates the release in kube-system. If one of its pods is missing, the position
// is below P3, and the fix must not uninstall the release.
func TestOwnReleaseIsNotToBeUninstalled(t *testing.T) {
	in := healthy(t, position.P2)
	in.Releases = verify.Got([]downstream.Release{{Namespace: wellknown.System, Name: wellknown.CCM, Status: "deployed"}})
	for _, f := range judgedBy(in, "AWSM-601") {
		if f.Fix == "" || strings.Contains(f.Fix, "uninstall") {
			t.Errorf("the fix is %q: without one the check's own applies, which uninstalls", f.Fix)
		}
	}
}
