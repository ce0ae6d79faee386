package rancher

import (
	"context"
	"fmt"
	"regexp"
	"sort"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/viarancher"
)

// clusterID matches the ids in Rancher's URLs of clusters that Rancher provisions
// (rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go@00914879d).
var clusterID = regexp.MustCompile(`^c-m-[a-z0-9]{8}$`)

// ResolveName returns the namespace and name of a Cluster object that may be named by its id.
func ResolveName(ctx context.Context, management dynamic.Interface, namespace, name string) (resolvedNamespace, resolvedName string, err error) {
	if !clusterID.MatchString(name) {
		return namespace, name, nil
	}
	cluster, err := FindCluster(ctx, management, namespace, name)
	if err != nil {
		return namespace, name, err
	}
	return cluster.GetNamespace(), cluster.GetName(), nil
}

// localNamespace holds the Cluster object of the cluster that Rancher runs in.
const localNamespace = "fleet-local"

// FindCluster returns Rancher's Cluster object by name or id, or an error that lists the existing ones.
func FindCluster(ctx context.Context, management dynamic.Interface, namespace, name string) (*unstructured.Unstructured, error) {
	cluster, err := management.Resource(clustersGVR).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return cluster, nil
	}
	object := fmt.Sprintf("Cluster %s/%s", namespace, name)
	if !apierrors.IsNotFound(err) {
		return nil, migration.CouldNotRead(object, err)
	}
	list, listErr := management.Resource(clustersGVR).List(ctx, metav1.ListOptions{})
	switch {
	case apierrors.IsNotFound(listErr):
		return nil, notRancher(object, err)
	case listErr != nil:
		return nil, migration.CouldNotRead("Clusters in all namespaces", listErr)
	}
	return chooseCluster(list.Items, namespace, name)
}

// chooseCluster returns the cluster with an id, or an error that lists the existing ones.
func chooseCluster(all []unstructured.Unstructured, namespace, name string) (*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	var names []string
	seen := "no such Cluster"
	for i := range all {
		item := &all[i]
		if id, _, _ := unstructured.NestedString(item.Object, "status", "clusterName"); id == name && clusterID.MatchString(name) {
			found = append(found, item)
		}
		switch {
		case item.GetNamespace() != localNamespace:
			names = append(names, item.GetNamespace()+"/"+item.GetName())
		case item.GetName() == name:
			seen = "this is the cluster Rancher itself runs in"
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	near := suggestCluster(namespace, name, names)
	return nil, &fault.Error{Class: fault.Usage, Reason: migration.ReasonClusterNotFound, Object: fmt.Sprintf("Cluster %s/%s", namespace, name), Seen: seen,
		Wanted: "one of " + clusterNames(names), Fix: migration.OrElse(near, "use the name of one of these: --cluster NAMESPACE/NAME"), Near: near != ""}
}

// suggestCluster returns a hint at a cluster with a similar name, or with the same name in
// another namespace.
func suggestCluster(namespace, name string, names []string) string {
	var siblings []string
	for _, other := range names {
		switch in, called, _ := strings.Cut(other, "/"); {
		case in == namespace:
			siblings = append(siblings, called)
		case called == name:
			return "did you mean --cluster " + other + "?"
		}
	}
	return fault.DidYouMean(name, siblings)
}

func clusterNames(names []string) string {
	if len(names) == 0 {
		return "none: this Rancher has no provisioned clusters"
	}
	sort.Strings(names)
	if len(names) > 10 {
		names = append(names[:10], "…")
	}
	return strings.Join(names, ", ")
}

// DownstreamConfig returns the client configuration for the cluster being migrated. If the
// management kubeconfig goes through Rancher, it uses Rancher and the user's credentials.
// Otherwise it uses the kubeconfig Secret that Rancher stores.
func DownstreamConfig(ctx context.Context, management *rest.Config, kube kubernetes.Interface, cluster *unstructured.Unstructured, clk clock.Clock) (*rest.Config, error) {
	if err := requireProvisioned(cluster); err != nil {
		return nil, err
	}
	id, _, _ := unstructured.NestedString(cluster.Object, "status", "clusterName")
	if config, ok := viarancher.Own(management, id); ok {
		return config, nil
	}
	return viarancher.StoredKubeconfig{Kube: kube, Namespace: cluster.GetNamespace(), Name: cluster.GetName(), ID: id, Clock: clk}.Config(ctx)
}

// requireProvisioned returns an error for a cluster that Rancher did not provision. Without
// it, the user would see an error about a missing kubeconfig Secret.
func requireProvisioned(cluster *unstructured.Unstructured) error {
	facts := Facts{}
	var err error
	if facts.Cluster, err = parseCluster(cluster); err != nil {
		return err
	}
	if facts.Cluster.HasRKEConfig {
		return nil
	}
	return Supported(facts)
}

// ProveTarget returns an error if the Machines do not belong to the downstream cluster. The
// Nodes there carry the UIDs of their Machines, which no other cluster has. One match is
// enough: a pending condition reports Machines whose Node was deleted.
func ProveTarget(machines []Machine, nodeMachineUIDs map[string]string, object string) error {
	var missing []string
	found := 0
	for _, m := range machines {
		if m.NodeName == "" {
			continue
		}
		if _, ok := nodeMachineUIDs[m.UID]; ok {
			found++
		} else {
			missing = append(missing, m.Name)
		}
	}
	if (len(missing) == 0 || found > 0) && len(machines) > 0 {
		return nil
	}
	state := fmt.Sprintf("no Node there carries the UID of Machine %s in its label %s", strings.Join(missing, ", "), MachineLabel)
	if len(machines) == 0 {
		state = "it has no Machines"
	}
	return &fault.Error{Class: fault.Usage, Reason: "WrongTarget", Object: object, Seen: state,
		Wanted: "the kubeconfig of this very cluster", Fix: "check --downstream-kubeconfig and --context"}
}
