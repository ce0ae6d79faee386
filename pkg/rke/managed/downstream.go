package managed

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	gvr "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/viarancher"
)

// mirrors is the resource of provisioning.cattle.io Clusters, of which Rancher has one for
// every cluster. For a cluster c-xxxxx that was not created through it, Rancher creates a
// Cluster of the same name, without configuration, in the cluster's Fleet workspace. The
// kubeconfig Secret is in the same namespace
// (rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@v2.8.5,
// generateProvisioningClusterFromLegacyCluster, updateStatus).
var mirrors = gvr.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"} //nolint:gochecknoglobals // a constant

// Management holds the clients of the cluster that Rancher runs in.
type Management struct {
	Config  *rest.Config
	Dynamic dynamic.Interface
	Kube    kubernetes.Interface
	Clock   clock.Clock
}

// Downstream returns the client configuration for the cluster. If the management kubeconfig
// goes through Rancher, it uses Rancher and the user's credentials. Otherwise it uses the
// kubeconfig Secret that Rancher stores, or returns a fault.
func Downstream(ctx context.Context, management Management, c Cluster) (*rest.Config, error) {
	if config, ok := viarancher.Own(management.Config, c.ID); ok {
		return config, nil
	}
	mirror, err := mirrorOf(ctx, management.Dynamic, c)
	if err != nil {
		return nil, explainNoKubeconfig(management, c, err)
	}
	config, err := viarancher.StoredKubeconfig{Kube: management.Kube, Namespace: mirror.GetNamespace(), Name: mirror.GetName(), ID: c.ID, Clock: management.Clock}.Config(ctx)
	return config, explainNoKubeconfig(management, c, err)
}

// mirrorOf returns the mirror of a cluster. It first gets the object with the usual name and
// namespace: RBAC can grant access to a single object without the right to list.
func mirrorOf(ctx context.Context, client dynamic.Interface, c Cluster) (*unstructured.Unstructured, error) {
	if c.Workspace != "" {
		if mirror, err := client.Resource(mirrors).Namespace(c.Workspace).Get(ctx, c.ID, metav1.GetOptions{}); err == nil && isMirror(mirror, c) {
			return mirror, nil
		}
	}
	list, err := client.Resource(mirrors).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, migration.CouldNotRead("Clusters of provisioning.cattle.io", err)
	}
	for i := range list.Items {
		if isMirror(&list.Items[i], c) {
			return &list.Items[i], nil
		}
	}
	return nil, migration.CouldNotRead("Cluster of provisioning.cattle.io for "+c.ID, apierrors.NewNotFound(mirrors.GroupResource(), c.ID))
}

// isMirror reports whether an object is the mirror of the cluster.
func isMirror(o *unstructured.Unstructured, c Cluster) bool {
	id, _, _ := unstructured.NestedString(o.Object, "status", "clusterName")
	return id == c.ID
}

// explainNoKubeconfig returns an error with a fix if Rancher stores no kubeconfig or the credentials cannot
// read it. It returns any other error unchanged.
func explainNoKubeconfig(management Management, c Cluster, err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		return err
	}
	missing := "the kubeconfig that Rancher stores cannot be read"
	if f, ok := fault.As(err); ok {
		missing = f.Object + " " + f.Seen
	}
	return &fault.Error{Class: fault.Usage, Reason: "NoDownstreamKubeconfig", Object: c.object(),
		Seen:   fmt.Sprintf("the management kubeconfig does not go through Rancher (%s), and %s", fault.Server(management.Config.Host), missing),
		Wanted: "a server <rancher>" + viarancher.LocalPath + ", or the right to get the Secret <cluster>-kubeconfig",
		Fix:    "name the cluster's own with --downstream-kubeconfig", Err: err}
}
