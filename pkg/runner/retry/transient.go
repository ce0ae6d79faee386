package retry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"

	"golang.org/x/net/http2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
)

// Transient reports whether err is likely to pass without action: a server or proxy is
// unreachable, restarting or overloaded. The failed write may have happened, so observe before
// deciding.
//
// A fault with a class other than CouldNotLook or Unexpected is not transient, regardless of its
// cause. An error that contains a denial is not transient either.
func Transient(err error) bool {
	if err == nil || Denied(err) {
		return false
	}
	if e, ok := fault.As(err); ok && e.Class != fault.CouldNotLook && e.Class != fault.Unexpected {
		return false
	}
	if anyInTree(err, permanent) {
		return false
	}
	return anyInTree(err, transientAlone)
}

// Denied reports whether err contains a response 401 or 403.
func Denied(err error) bool {
	return Unauthorized(err) || hasStatus(err, http.StatusForbidden)
}

// Unauthorized reports whether err contains a response 401: the API does not accept the
// credentials.
func Unauthorized(err error) bool { return hasStatus(err, http.StatusUnauthorized) }

func hasStatus(err error, with int32) bool {
	return anyInTree(err, func(e error) bool {
		code, ok := statusCode(e)
		return ok && code == with
	})
}

// permanent reports whether waiting never resolves err. net/url makes a net.Error of every
// request error, so these are excluded first.
func permanent(err error) bool {
	switch err.(type) { //nolint:errorlint // anywhere unwraps, node by node
	case *tls.CertificateVerificationError, x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError, *kube.WriteRefused:
		return true
	}
	return err == context.Canceled //nolint:errorlint // likewise
}

// transientAlone reports whether err itself, without its causes, is transient.
func transientAlone(err error) bool {
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
		return transientErrno(e)
	}
	switch err { //nolint:errorlint // likewise
	case io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded, os.ErrDeadlineExceeded, http.ErrServerClosed:
		return true
	}
	return streamReset(err) || utilnet.IsHTTP2ConnectionLost(err) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)
}

// streamReset reports whether the other end has cut an HTTP/2 answer, as a reverse proxy does if its
// own connection breaks (net/http/httputil.ReverseProxy).
func streamReset(err error) bool {
	var stream http2.StreamError
	return errors.As(err, &stream)
}

func transientErrno(e syscall.Errno) bool {
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

// anyInTree reports whether is holds for any error in the tree of err, including joined errors.
// errors.As would stop at the first match of a type.
func anyInTree(err error, is func(error) bool) bool {
	if err == nil {
		return false
	}
	if is(err) {
		return true
	}
	switch e := err.(type) { //nolint:errorlint // this is what unwraps
	case interface{ Unwrap() error }:
		return anyInTree(e.Unwrap(), is)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if anyInTree(one, is) {
				return true
			}
		}
	}
	return false
}
