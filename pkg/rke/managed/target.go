package managed

import (
	"context"
	"fmt"
	"sort"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
)

// ReasonNotRKE marks a cluster, state file or binary that is not from RKE.
const ReasonNotRKE = rkecli.ReasonNotRKE

// Find returns Rancher's Cluster with an id or display name. It returns an error if several
// clusters have the name, or if Rancher does not run rke for the cluster. Find first gets the
// object by id: RBAC can grant access to a single object without the right to list.
func Find(ctx context.Context, management dynamic.Interface, name string) (Cluster, error) {
	if named, err := management.Resource(clusters).Get(ctx, name, metav1.GetOptions{}); err == nil {
		c := parseCluster(named)
		return c, checkSupported(c)
	}
	list, err := management.Resource(clusters).List(ctx, metav1.ListOptions{})
	object := "Cluster " + name
	switch {
	case apierrors.IsNotFound(err):
		return Cluster{}, notRancher(object, err)
	case err != nil:
		return Cluster{}, migration.CouldNotRead("Clusters of Rancher", err)
	}
	all := make([]Cluster, 0, len(list.Items))
	for i := range list.Items {
		all = append(all, parseCluster(&list.Items[i]))
	}
	return choose(all, name)
}

// notRancher returns the error for an API server that does not serve Clusters.
func notRancher(object string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: migration.ReasonNotRancher, Object: object,
		Seen: "this API server does not serve clusters.management.cattle.io", Fix: "point --kubeconfig at the cluster Rancher runs in", Err: err}
}

func choose(all []Cluster, name string) (Cluster, error) {
	var found []Cluster
	var names, others, words []string
	for _, c := range all {
		if c.ID == name || c.DisplayName == name {
			found = append(found, c)
			names = append(names, c.ID+" ("+c.DisplayName+")")
		}
		others = append(others, c.ID+" ("+c.DisplayName+")")
		words = append(words, c.ID, c.DisplayName)
	}
	sort.Strings(names)
	sort.Strings(others)
	switch len(found) {
	case 1:
		return found[0], checkSupported(found[0])
	case 0:
		near := fault.DidYouMean(name, words)
		return Cluster{}, &fault.Error{Class: fault.Usage, Reason: migration.ReasonClusterNotFound, Object: "Cluster " + name,
			Seen: "no such id and no such name", Wanted: "one of " + migration.OrElse(naming.Few(others), "none: this Rancher has no clusters"),
			Fix: migration.OrElse(near, "check --cluster"), Near: near != ""}
	}
	return Cluster{}, &fault.Error{Class: fault.Usage, Reason: "AmbiguousCluster", Object: "Cluster " + name,
		Seen: fmt.Sprintf("%d clusters are called so: %s", len(found), strings.Join(names, ", ")), Wanted: "one cluster", Fix: "name it by its id: --cluster c-xxxxx"}
}

// driverRKE is the status.driver of clusters for which Rancher runs rke.
const driverRKE = "rancherKubernetesEngine"

// checkSupported returns an error for clusters that this procedure cannot migrate.
func checkSupported(c Cluster) error {
	refuse := func(reason, state, fix string) error {
		return &fault.Error{Class: fault.Check, Reason: reason, Object: c.object(), Seen: state,
			Wanted: "an RKE cluster on AWS that Rancher made with rke", Fix: fix}
	}
	switch {
	case c.Local():
		return refuse("LocalCluster", "this is the cluster Rancher itself runs in", "if rke made it: awsmigrate rke --config cluster.yml")
	case c.Provisioned:
		return refuse(ReasonNotRKE, "it belongs to a Cluster of provisioning.cattle.io", fault.Command("awsmigrate", "rke2", "plan", "--cluster", migration.OrElse(c.Workspace, "fleet-default")+"/"+c.DisplayName))
	case c.Config == nil || c.Driver != "" && c.Driver != driverRKE:
		return refuse(ReasonNotRKE, fmt.Sprintf("driver %q: an imported or hosted cluster, which Rancher does not configure by rke", c.Driver),
			"change it where it is configured; a cluster.yml: awsmigrate rke --config cluster.yml")
	}
	return nil
}
