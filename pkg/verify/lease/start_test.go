package lease

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Under its main lease kube-controller-manager starts the cloud controllers among all others.
func TestStartTimeUnder(t *testing.T) {
	for name, want := range map[string]string{wellknown.KCMLease: "15s", wellknown.CCMLease: "1s", wellknown.MigrationLease: "1s"} {
		if got := StartTimeUnder(name).String(); got != want {
			t.Errorf("%s: %s, wanted %s", name, got, want)
		}
	}
}
