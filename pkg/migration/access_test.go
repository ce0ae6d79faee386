package migration

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
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
		"401":                           {apierrors.NewGenericServerResponse(401, "get", nodes, "", "", 0, true), fault.ReasonUnauthorized, "renew"},
		"403":                           {apierrors.NewForbidden(nodes, "", nil), "Forbidden", "credentials that may"},
		"404":                           {apierrors.NewNotFound(nodes, "x"), "NotFound", ""},
		"503":                           {apierrors.NewServiceUnavailable("no agent"), "Unreachable", "--downstream-kubeconfig"},
		"away":                          {syscall.ECONNREFUSED, "Unreachable", "once the API answers"},
		"other":                         {errors.New("unexpected"), "Unreachable", ""},
		"a missing plugin":              {errors.New("getting credentials: exec: executable aws-iam-authenticator not found\n\nIt looks like"), "Unreachable", "install aws-iam-authenticator"},
		"a failing plugin":              {errors.New("getting credentials: exec: executable aws failed with exit code 255"), "Unreachable", "log in again"},
		"a plugin's garbage":            {errors.New("getting credentials: decoding stdout: couldn't get version/kind"), "Unreachable", "correct the plugin"},
		"a proxy away":                  {&url.Error{Op: "Get", URL: "https://x", Err: &net.OpError{Op: "proxyconnect", Net: "tcp", Err: syscall.ECONNREFUSED}}, "Unreachable", "NO_PROXY"},
		"an unknown host":               {&url.Error{Op: "Get", URL: "https://x", Err: &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}}}, "Unreachable", "knows the name x"},
		"no TLS":                        {&url.Error{Op: "Get", URL: "https://x", Err: tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}}, "Unreachable", "does not speak https"},
		"an expired certificate":        {&url.Error{Op: "Get", URL: "https://x", Err: x509.CertificateInvalidError{Reason: x509.Expired}}, "Unreachable", "not valid"},
		"a refused client certificate":  {&url.Error{Op: "Get", URL: "https://x", Err: &net.OpError{Op: "remote error", Err: errors.New("tls: expired certificate")}}, "Unreachable", "client certificate"},
		"HTML":                          {errors.New("serializer for text/html doesn't exist"), "Unreachable", "no Kubernetes API"},
		"HTML with 403":                 {apierrors.NewGenericServerResponse(403, "get", nodes, "", "<html>a proxy</html>", 0, true), "Unreachable", "no Kubernetes API"},
		"JSON of something else":        {errors.New("Object 'Kind' is missing in '{}'"), "Unreachable", "no Kubernetes API"},
		"endless redirects":             {&url.Error{Op: "Get", URL: "https://x", Err: errors.New("stopped after 10 redirects")}, "Unreachable", "no Kubernetes API"},
		"another failed request":        {&url.Error{Op: "Get", URL: "https://x", Err: errors.New("Forbidden")}, "Unreachable", "HTTPS_PROXY"},
		"https against http":            {&url.Error{Op: "Get", URL: "https://x", Err: http.ErrSchemeMismatch}, "Unreachable", "speaks http, not https"},
		"http against https":            {errors.New("Client sent an HTTP request to an HTTPS server."), "Unreachable", "speaks https, not http"},
		"an unknown authority":          {&url.Error{Op: "Get", URL: "https://x", Err: x509.UnknownAuthorityError{}}, "Unreachable", "certificate-authority-data"},
		"a name not in the certificate": {&url.Error{Op: "Get", URL: "https://x", Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}}, "Unreachable", "for another name"},
	} {
		f, ok := fault.As(CouldNotRead("Nodes", tt.err))
		if !ok || f.Class != fault.CouldNotLook || f.Reason != tt.reason || !strings.Contains(f.Fix, tt.fix) || (f.Fix == "") != (tt.fix == "") {
			t.Errorf("%s: %+v", name, f)
		}
		if strings.Contains(f.Fix, "--downstream-kubeconfig") != (name == "503") {
			t.Errorf("%s: another kubeconfig helps only if the connection through Rancher is down: %s", name, f.Fix)
		}
	}
}

func TestCouldNotPatch_error_reason(t *testing.T) {
	nodes := schema.GroupResource{Resource: "nodes"}
	for reason, err := range map[string]error{
		fault.ReasonUnauthorized: apierrors.NewUnauthorized("expired"), fault.ReasonForbidden: apierrors.NewForbidden(nodes, "x", nil), "Unreachable": syscall.ECONNREFUSED,
	} {
		if got := CouldNotPatch("Node x", err); !fault.HasReason(got, reason) || fault.ClassOf(got) != fault.CouldNotLook || !errors.Is(got, err) {
			t.Errorf("%s: %v", reason, got)
		}
	}
}
