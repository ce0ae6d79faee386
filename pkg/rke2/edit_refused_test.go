package rke2

import (
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// What a refused patch of Rancher's Cluster object is taken for.
func TestPatchRefused(t *testing.T) {
	for code, want := range map[int]struct {
		reason string
		class  fault.Class
	}{
		http.StatusUnauthorized: {fault.ReasonUnauthorized, fault.CouldNotLook},
		http.StatusForbidden:    {"Forbidden", fault.CouldNotLook},
		http.StatusConflict:     {"ChangedMeanwhile", fault.Stale},
	} {
		err := apierrors.NewGenericServerResponse(code, "patch", clustersGVR.GroupResource(), "demo", "", 0, true)
		if f, ok := fault.As(patchRefused(Facts{}, err)); !ok || !isDefinite(err) || f.Class != want.class || f.Reason != want.reason || f.Fix == "" {
			t.Errorf("%d: %+v, wanted %+v", code, f, want)
		}
	}
}
