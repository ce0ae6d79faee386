package target

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// A mistyped display name of an RKE cluster gets its suggestion, although the Cluster object of the
// same cluster is named by the id.
func TestByName_nearNameOfRKECluster_suggested(t *testing.T) {
	missing := func(fix string, near bool) func() (int, error) {
		return func() (int, error) {
			return 0, &fault.Error{Class: fault.Usage, Reason: migration.ReasonClusterNotFound, Fix: fix, Near: near}
		}
	}
	for name, tt := range map[string]struct {
		asRKE2, asRKE func() (int, error)
		want          string
	}{
		"near as RKE":     {missing("use one of these", false), missing("did you mean demo?", true), "did you mean demo?"},
		"near as RKE2":    {missing("did you mean prod?", true), missing("did you mean demo?", true), "did you mean prod?"},
		"near as neither": {missing("use one of these", false), missing("check --cluster", false), "use one of these"},
	} {
		_, err := byName(tt.asRKE2, tt.asRKE)
		if f, ok := fault.As(err); !ok || f.Fix != tt.want {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
