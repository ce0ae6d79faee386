package awsccm

import (
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestExpiredCredentialsAreNoMissingRight(t *testing.T) {
	for code, want := range map[int]string{http.StatusUnauthorized: fault.ReasonUnauthorized, http.StatusForbidden: "Forbidden"} {
		err := apierrors.NewGenericServerResponse(code, "get", schema.GroupResource{Resource: "roles"}, "x", "", 0, true)
		if f, ok := fault.As(CouldNotLook(err)); !ok || f.Class != fault.CouldNotLook || f.Reason != want || f.Fix == "" {
			t.Errorf("%d: %+v, wanted reason %s", code, f, want)
		}
	}
}
