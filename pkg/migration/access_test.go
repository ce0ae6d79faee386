package migration

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Only an API that does not answer gets the advice to run again. A missing right or another
// lasting error does not.
func TestCouldNotRead_error_reasonAndFix(t *testing.T) {
	nodes := schema.GroupResource{Resource: "nodes"}
	for name, tt := range map[string]struct {
		err         error
		reason, fix string
	}{
		"401":   {apierrors.NewGenericServerResponse(401, "get", nodes, "", "", 0, true), fault.ReasonUnauthorized, "renew"},
		"403":   {apierrors.NewForbidden(nodes, "", nil), "Forbidden", "credentials that may"},
		"404":   {apierrors.NewNotFound(nodes, "x"), "NotFound", ""},
		"503":   {apierrors.NewServiceUnavailable("no agent"), "Unreachable", "--downstream-kubeconfig"},
		"away":  {syscall.ECONNREFUSED, "Unreachable", "once the API answers"},
		"other": {errors.New("x509: unknown authority"), "Unreachable", ""},
	} {
		f, ok := fault.As(CouldNotRead("Nodes", tt.err))
		if !ok || f.Class != fault.CouldNotLook || f.Reason != tt.reason || !strings.Contains(f.Fix, tt.fix) || (f.Fix == "") != (tt.fix == "") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
