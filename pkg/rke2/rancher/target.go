package rancher

import (
	"context"
	"fmt"
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

// FindCluster reads Rancher's Cluster object, or says which ones there are.
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
	names := make([]string, 0, len(list.Items))
	for i := range list.Items {
		names = append(names, list.Items[i].GetNamespace()+"/"+list.Items[i].GetName())
	}
	return nil, &fault.Error{Class: fault.Usage, Reason: migration.ReasonClusterNotFound, Object: object, Seen: "no such Cluster",
		Wanted: "one of " + clusterNames(names), Fix: migration.OrElse(meant(namespace, name, names), "check --cluster and --namespace")}
}

// meant is the cluster that was probably meant: one that is called nearly so, or so in
// another namespace.
func meant(namespace, name string, names []string) string {
	var beside []string
	for _, other := range names {
		switch in, called, _ := strings.Cut(other, "/"); {
		case in == namespace:
			beside = append(beside, called)
		case called == name:
			return "did you mean --namespace " + in + "?"
		}
	}
	return fault.DidYouMean(name, beside)
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

// DownstreamConfig says how to reach the cluster being migrated. Through
// Rancher, with the user's own credentials, when the management kubeconfig goes
// through Rancher too; otherwise from the Secret that Rancher keeps.
func DownstreamConfig(ctx context.Context, management *rest.Config, kube kubernetes.Interface, cluster *unstructured.Unstructured, clk clock.Clock) (*rest.Config, error) {
	if err := provisioned(cluster); err != nil {
		return nil, err
	}
	id, _, _ := unstructured.NestedString(cluster.Object, "status", "clusterName")
	if config, ok := viarancher.Own(management, id); ok {
		return config, nil
	}
	return viarancher.StoredKubeconfig{Kube: kube, Namespace: cluster.GetNamespace(), Name: cluster.GetName(), ID: id, Clock: clk}.Config(ctx)
}

// provisioned refuses what Rancher only knows before looking for its kubeconfig: that
// it is missing would not be what is wrong.
func provisioned(cluster *unstructured.Unstructured) error {
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

// ProveTarget says whether the downstream cluster is the one that the Machines
// belong to: Machines that have a Node find it there by their own UID, which no other
// cluster has. One whose Node was deleted finds none; where others do it is this
// cluster all the same, and what is missing is told of the cluster.
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
	seen := fmt.Sprintf("no Node there carries the UID of Machine %s in its label %s", strings.Join(missing, ", "), MachineLabel)
	if len(machines) == 0 {
		seen = "it has no Machines"
	}
	return &fault.Error{Class: fault.Usage, Reason: "WrongTarget", Object: object, Seen: seen,
		Wanted: "the kubeconfig of this very cluster", Fix: "check --downstream-kubeconfig and --context"}
}
