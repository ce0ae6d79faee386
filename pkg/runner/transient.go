package runner

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"

	"github.com/awsmigrate/awsmigrate/pkg/kube"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Transient says whether err is of the kind that passes by itself: a server or
// proxy that is away, restarting or overloaded. A write that failed so may have
// happened all the same: observe before deciding.
//
// An error that somebody gave a class other than CouldNotLook is not transient,
// whatever its cause; nor is one in which anything was denied.
func Transient(err error) bool {
	if err == nil || Denied(err) {
		return false
	}
	if e, ok := fault.As(err); ok && e.Class != fault.CouldNotLook && e.Class != fault.Unexpected {
		return false
	}
	if anywhere(err, permanent) {
		return false
	}
	return anywhere(err, passing)
}

// Denied says whether err holds an answer 401 or 403.
func Denied(err error) bool {
	return unauthorized(err) || answered(err, http.StatusForbidden)
}

// unauthorized says whether err holds an answer 401: the API does not know who asks.
func unauthorized(err error) bool { return answered(err, http.StatusUnauthorized) }

func answered(err error, with int32) bool {
	return anywhere(err, func(e error) bool {
		code, ok := statusCode(e)
		return ok && code == with
	})
}

// permanent errors are never mended by waiting, though net/url calls every
// error of a request a net.Error.
func permanent(err error) bool {
	switch err.(type) { //nolint:errorlint // anywhere unwraps, node by node
	case *tls.CertificateVerificationError, x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError, *kube.WriteRefused:
		return true
	}
	return err == context.Canceled //nolint:errorlint // likewise
}

// passing judges one error of a chain.
func passing(err error) bool {
	if code, ok := statusCode(err); ok {
		switch code {
		case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	switch e := err.(type) { //nolint:errorlint // anywhere unwraps, node by node
	case *net.OpError, *net.DNSError:
		return true
	case *url.Error:
		return e.Timeout()
	case syscall.Errno:
		return passingErrno(e)
	}
	switch err { //nolint:errorlint // likewise
	case io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded, os.ErrDeadlineExceeded, http.ErrServerClosed:
		return true
	}
	return utilnet.IsHTTP2ConnectionLost(err) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)
}

func passingErrno(e syscall.Errno) bool {
	switch e {
	case syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE,
		syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ETIMEDOUT:
		return true
	default:
		return false
	}
}

func statusCode(err error) (int32, bool) {
	s, ok := err.(apierrors.APIStatus)
	if !ok {
		return 0, false
	}
	return s.Status().Code, true
}

// anywhere walks the whole tree, joined errors too, where errors.As would stop
// at the first match of a type.
func anywhere(err error, is func(error) bool) bool {
	if err == nil {
		return false
	}
	if is(err) {
		return true
	}
	switch e := err.(type) { //nolint:errorlint // this is what unwraps
	case interface{ Unwrap() error }:
		return anywhere(e.Unwrap(), is)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if anywhere(one, is) {
				return true
			}
		}
	}
	return false
}

// describeOutage says in a few words why nothing could be read, the same for
// every reading that fails in the same way: a connection's ports are left out.
func describeOutage(err error) string {
	said := ""
	anywhere(err, func(e error) bool {
		var errno syscall.Errno
		if code, ok := statusCode(e); ok {
			said = fmt.Sprintf("the API answers %d %s", code, http.StatusText(int(code)))
		} else if errors.As(e, &errno) {
			said = errno.Error()
		} else if errors.Is(e, io.EOF) || errors.Is(e, io.ErrUnexpectedEOF) {
			said = "the connection ended (EOF)"
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

// classify gives an error without a class the one its cause deserves.
func classify(err error, object string) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	switch {
	case unauthorized(err):
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
