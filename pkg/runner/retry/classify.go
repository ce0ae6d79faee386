package retry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// DescribeOutage describes in a few words why a read failed. It omits a connection's ports, so
// that equal failures have equal descriptions.
func DescribeOutage(err error) string {
	said := ""
	anyInTree(err, func(e error) bool {
		var errno syscall.Errno
		if code, ok := statusCode(e); ok {
			said = fmt.Sprintf("the API answers %d %s", code, http.StatusText(int(code)))
		} else if errors.As(e, &errno) {
			said = errno.Error()
		} else if errors.Is(e, io.EOF) || errors.Is(e, io.ErrUnexpectedEOF) {
			said = "the connection ended (EOF)"
		} else if streamReset(e) {
			said = "the answer was cut (stream reset)"
		} else if errors.Is(e, context.DeadlineExceeded) || errors.Is(e, os.ErrDeadlineExceeded) {
			said = "no answer in time"
		}
		return said != ""
	})
	if said == "" {
		return err.Error()
	}
	return said
}

// Classify wraps an error that has no class in a fault whose class fits its cause.
func Classify(err error, object string) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	switch {
	case Unauthorized(err):
		return fault.Unauthorized(object, err)
	case Denied(err):
		return &fault.Error{
			Class: fault.CouldNotLook, Reason: "Denied", Object: object, Seen: "the API does not let these credentials do this",
			Fix: "use credentials that may", Err: err,
		}
	case Transient(err):
		return &fault.Error{
			Class: fault.CouldNotLook, Reason: "Unreachable", Object: object, Seen: "the API does not answer",
			Fix: "run the same command again once it does", Err: err,
		}
	}
	return &fault.Error{Object: object, Reason: "Unexpected", Seen: "failed", Err: err}
}
