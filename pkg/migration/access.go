package migration

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Access holds the clients of the cluster to migrate and the options of its user.
type Access struct {
	Kube         kubernetes.Interface
	Config       *rest.Config // of the same cluster, for Helm's own clients
	Clock        clock.WithTicker
	Options      Options
	Distribution wellknown.Distribution
}

// ClusterUID returns the cluster's identity: the UID of its kube-system.
func (a Access) ClusterUID(ctx context.Context) (string, error) {
	system, err := a.Kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	if err != nil {
		return "", CouldNotRead("Namespace kube-system of the cluster to migrate", err)
	}
	return string(system.UID), nil
}

// ReadCluster reads the facts that the position is computed from.
func (a Access) ReadCluster(ctx context.Context) (downstream.Cluster, error) {
	cluster, err := kube.ReadCluster(ctx, a.Kube)
	return cluster, PartUnread(err)
}

// ReadLeases reads only the leases.
func (a Access) ReadLeases(ctx context.Context) (lease.Readings, error) {
	leases, err := kube.ReadLeases(ctx, a.Kube)
	return leases, PartUnread(err)
}

// ReadServices reads the Services of type LoadBalancer.
func (a Access) ReadServices(ctx context.Context) ([]downstream.Service, error) {
	services, err := kube.ReadServices(ctx, a.Kube)
	return services, PartUnread(err)
}

// PartUnread classifies err by the part of the cluster that it names.
func PartUnread(err error) error {
	var part *kube.PartError
	if !errors.As(err, &part) {
		return err
	}
	return CouldNotRead(part.Object, part.Err)
}

// unreachableFix is the fix for an API that does not answer.
const unreachableFix = "run the same command again once the API answers with the same kubeconfig: kubectl get --raw /readyz"

// readFix returns the fix for a failed read, or "". Through Rancher, a cluster's API also returns 503
// while its agent is disconnected (rancher/rancher:pkg/clusterrouter/router.go@v2.8.5).
func readFix(err error) string {
	var request *url.Error
	fix := connectionFix(err)
	switch {
	case fix != "":
		return fix
	case apierrors.IsServiceUnavailable(err):
		return unreachableFix + "; if only the connection through Rancher is down, name another kubeconfig with --downstream-kubeconfig"
	case retry.Transient(err):
		return unreachableFix
	case notAnAPI.MatchString(err.Error()):
		return notAnAPIFix
	case errors.As(err, &request):
		return "correct the address of the server in the kubeconfig, or HTTPS_PROXY: kubectl cluster-info"
	}
	return ""
}

// connectionFix returns the fix for a connection that cannot be made with this kubeconfig, or "".
func connectionFix(err error) string {
	text := err.Error()
	var name *net.DNSError
	switch plugin := credentialPlugin.FindStringSubmatch(text); {
	case plugin != nil && plugin[2] == "not found":
		return "install " + plugin[1] + ", which the kubeconfig runs for its credentials, or use a kubeconfig with a token"
	case plugin != nil:
		return "correct what makes " + plugin[1] + " fail, which the kubeconfig runs for its credentials, or log in again"
	case strings.Contains(text, "getting credentials: "):
		return "correct the plugin that the kubeconfig runs for its credentials, or use a kubeconfig with a token"
	case strings.Contains(text, "proxyconnect "), strings.Contains(text, "socks connect "), strings.Contains(text, "Proxy Authentication Required"):
		return "correct HTTPS_PROXY, or proxy-url in the kubeconfig, or name the server's host in NO_PROXY"
	case errors.As(err, &name) && name.IsNotFound:
		return "correct the address of the server in the kubeconfig, or connect to the network that knows the name " + name.Name
	}
	return tlsFix(err)
}

// tlsFix returns the fix for client and server that do not agree on TLS, or "".
func tlsFix(err error) string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return "the server speaks http, not https: correct the address in the kubeconfig (server: http://…), or the port"
	case errors.As(err, &record):
		return "the server does not speak https: correct the address in the kubeconfig (server: …), or the port"
	case strings.Contains(err.Error(), "HTTP request to an HTTPS server"):
		return "the server speaks https, not http: correct the address in the kubeconfig (server: https://…)"
	case errors.As(err, &authority):
		return "the kubeconfig does not trust the server's certificate: correct its certificate-authority-data, or the address of the server"
	case errors.As(err, &host):
		return "the server's certificate is for another name: correct the address of the server in the kubeconfig"
	case errors.As(err, &invalid):
		return "the server's certificate is not valid: renew it on the server, or correct the clock of this machine"
	case strings.Contains(err.Error(), "remote error: tls: "):
		return "the server refuses the client certificate of the kubeconfig: renew it, or download the kubeconfig again"
	}
	return ""
}

// credentialPlugin matches client-go's errors for a credential plugin that is not installed or fails
// (kubernetes/client-go:plugin/pkg/client/auth/exec/exec.go@v0.37.2).
var credentialPlugin = regexp.MustCompile(`exec: executable (\S+) (not found|failed)`)

// notAnAPI matches errors for answers that no API server gives: HTML, empty bodies, other protocols, JSON
// of something else.
var notAnAPI = regexp.MustCompile(`(?i)serializer for \S+ doesn't exist|<html|<!doctype|couldn't get version/kind|Object 'Kind' is missing|` +
	`0-length response|malformed HTTP|stopped after \d+ redirects|no kind ".*" is registered`)

const notAnAPIFix = "correct the address of the server in the kubeconfig: a page, a proxy or another service answers there, and no Kubernetes API"

// CouldNotRead classifies a failed read. A failed read shows nothing, so it never counts as OK.
func CouldNotRead(object string, err error) error {
	if apierrors.IsUnauthorized(err) {
		return fault.Unauthorized(object, err)
	}
	f := &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: object, Seen: "could not be read", Err: err}
	switch {
	case apierrors.IsForbidden(err) && notAnAPI.MatchString(err.Error()):
		f.Fix = notAnAPIFix
	case apierrors.IsForbidden(err):
		f.Reason, f.Seen, f.Fix = fault.ReasonForbidden, "may not be read with these credentials", "use credentials that may"
	case apierrors.IsNotFound(err):
		f.Reason, f.Seen = "NotFound", "does not exist"
	default:
		f.Fix = readFix(err)
	}
	return f
}

// CouldNotPatch classifies a failed patch that the API server has not refused for its content.
func CouldNotPatch(object string, err error) error {
	switch {
	case apierrors.IsUnauthorized(err):
		return fault.Unauthorized(object, err)
	case apierrors.IsForbidden(err):
		return &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Object: object, Seen: "may not be patched with these credentials", Fix: "use credentials that may", Err: err}
	}
	return &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: object, Seen: "could not be patched", Fix: "run the same command again", Err: err}
}
