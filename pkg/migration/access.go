package migration

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
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
	plugin := missingPlugin.FindStringSubmatch(err.Error())
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case plugin != nil:
		return "install " + plugin[1] + ", which the kubeconfig runs for its credentials, or use a kubeconfig with a token"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "the server speaks http, not https: correct the address in the kubeconfig (server: http://…), or the port"
	case strings.Contains(err.Error(), "HTTP request to an HTTPS server"):
		return "the server speaks https, not http: correct the address in the kubeconfig (server: https://…)"
	case errors.As(err, &authority):
		return "the kubeconfig does not trust the server's certificate: correct its certificate-authority-data, or the address of the server"
	case errors.As(err, &host):
		return "the server's certificate is for another name: correct the address of the server in the kubeconfig"
	case apierrors.IsServiceUnavailable(err):
		return unreachableFix + "; if only the connection through Rancher is down, name another kubeconfig with --downstream-kubeconfig"
	case retry.Transient(err):
		return unreachableFix
	}
	return ""
}

// missingPlugin matches client-go's error for a kubeconfig whose credential plugin is not installed
// (kubernetes/client-go:plugin/pkg/client/auth/exec/exec.go@v0.37.2).
var missingPlugin = regexp.MustCompile(`exec: executable (\S+) not found`)

// CouldNotRead classifies a failed read. A failed read shows nothing, so it never counts as OK.
func CouldNotRead(object string, err error) error {
	if apierrors.IsUnauthorized(err) {
		return fault.Unauthorized(object, err)
	}
	f := &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: object, Seen: "could not be read", Err: err}
	switch {
	case apierrors.IsForbidden(err):
		f.Reason, f.Seen, f.Fix = fault.ReasonForbidden, "may not be read with these credentials", "use credentials that may"
	case apierrors.IsNotFound(err):
		f.Reason, f.Seen = "NotFound", "does not exist"
	default:
		f.Fix = readFix(err)
	}
	return f
}
