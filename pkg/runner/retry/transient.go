package retry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
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
	return Unauthorized(err) || answered(err, http.StatusForbidden)
}

// Unauthorized says whether err holds an answer 401: the API does not know who asks.
func Unauthorized(err error) bool { return answered(err, http.StatusUnauthorized) }

func answered(err error, with int32) bool {
	return anywhere(err, func(e error) bool {
		code, ok := statusCode(e)
		return ok && code == with
	})
}

// permanent errors never pass by waiting, though net/url calls every
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
