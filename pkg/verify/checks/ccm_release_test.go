package checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The release in kube-system is the one that a run takes over, or has just made: where
// a CCM of it is missing a pod, the position is below P3, and nobody may be sent to
// uninstall it.
func TestOwnReleaseIsNotToBeUninstalled(t *testing.T) {
	in := healthy(t, position.P2)
	in.Releases = verify.Got([]downstream.Release{{Namespace: wellknown.System, Name: wellknown.CCM, Status: "deployed"}})
	for _, f := range foreignRelease(in) {
		if f.Fix == "" || strings.Contains(f.Fix, "uninstall") {
			t.Errorf("the fix is %q: without one the check's own stands, which uninstalls", f.Fix)
		}
	}
}
