package faulty

import (
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Refused returns the error of a read whose connection was refused.
func Refused() error {
	return fmt.Errorf("read nodes: %w", &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED})
}

// Status returns an API server's error with a status code.
func Status(code int) error {
	return apierrors.NewGenericServerResponse(code, "get", schema.GroupResource{Resource: "nodes"}, "", "", 0, true)
}

// WantClass fails the test unless err has the class and contains every text.
func WantClass(t *testing.T, err error, want fault.Class, texts ...string) {
	t.Helper()
	if err == nil || fault.ClassOf(err) != want {
		t.Fatalf("class %v, want %v: %v", fault.ClassOf(err), want, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is missing in: %v", text, err)
		}
	}
}

// WantExpiredApart fails the test unless class distinguishes expired credentials from missing
// rights, since each needs another fix.
func WantExpiredApart(t *testing.T, class func(error) error) {
	t.Helper()
	expired, _ := fault.As(class(Status(401)))
	denied, _ := fault.As(class(Status(403)))
	if expired.Class != fault.CouldNotLook || expired.Reason != fault.ReasonUnauthorized || expired.Fix == "" || expired.Object == "" {
		t.Errorf("401: %+v", expired)
	}
	if denied.Class != fault.CouldNotLook || denied.Reason == fault.ReasonUnauthorized || denied.Fix == "" || denied.Fix == expired.Fix {
		t.Errorf("403: %+v", denied)
	}
}

// Name returns a name for objects in a cluster that several tests share, made from the test's
// name.
func Name(t *testing.T) string {
	name := t.Name()[strings.LastIndex(t.Name(), "/")+1:]
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", "-"), ",", ""))
}
