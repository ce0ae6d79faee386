package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	// ccmSelector is the chart's pod selector.
	ccmSelector = "k8s-app=" + wellknown.CCM
	// kcmSelector finds RKE2's static pods of these two
	// (rancher/rke2:pkg/staticpod/staticpod.go@v1.26.15+rke2r1).
	kcmSelector = "component in (kube-apiserver,kube-controller-manager),tier=control-plane"
)

// PartError is the part of a cluster that could not be read, and the client's own
// error.
type PartError struct {
	Object string // "Nodes", "Lease kube-system/a"
	Err    error
}

func (e *PartError) Error() string { return "reading " + e.Object + ": " + e.Err.Error() }

// Unwrap is the client's own error.
func (e *PartError) Unwrap() error { return e.Err }

func part(object string, err error) error {
	if err == nil {
		return nil
	}
	return &PartError{Object: object, Err: err}
}

// stepReader reads for a run, which has patience and page sizes of its own.
func stepReader(client kubernetes.Interface) Reader {
	return Reader{Kube: client, Timeout: NoTimeout, PageSize: DefaultPageSize}
}

// ReadCluster reads what steps look at again and again, every part with a quorum read,
// in eleven requests one after another where the Nodes are one page. The first part
// that cannot be had fails the whole, as a *PartError: half a picture gives no
// position.
func ReadCluster(ctx context.Context, client kubernetes.Interface) (downstream.Cluster, error) {
	var c downstream.Cluster
	r := stepReader(client)
	for _, read := range []func(context.Context, *downstream.Cluster) error{
		r.clusterNodes, r.clusterPods, r.clusterCCM, r.clusterLeases, r.clusterRights, r.clusterGrant,
	} {
		if err := read(ctx, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// ReadServices reads the Services of type LoadBalancer. Its error is a *PartError.
func ReadServices(ctx context.Context, client kubernetes.Interface) ([]downstream.Service, error) {
	read := stepReader(client).services(ctx)
	if !read.OK() {
		return nil, &PartError{Object: "Services of the cluster to migrate", Err: read.Err}
	}
	return read.Value, nil
}

// ReadLeases reads the three leases once. Its error is a *PartError.
func ReadLeases(ctx context.Context, client kubernetes.Interface) (lease.Readings, error) {
	var c downstream.Cluster
	err := stepReader(client).clusterLeases(ctx, &c)
	return c.Leases, err
}

// EventsOf are the newest page of events in kube-system about objects whose names
// begin so. Its error is a *PartError.
func EventsOf(ctx context.Context, client kubernetes.Interface, prefix string) ([]downstream.Event, error) {
	list, err := client.CoreV1().Events(wellknown.System).List(ctx, metav1.ListOptions{Limit: DefaultPageSize})
	if err != nil {
		return nil, part("Events in kube-system", err)
	}
	return filter(list.Items, func(e *corev1.Event) (downstream.Event, bool) {
		return event(e), strings.HasPrefix(e.InvolvedObject.Name, prefix)
	}), nil
}

func (r Reader) clusterNodes(ctx context.Context, c *downstream.Cluster) (err error) {
	c.Nodes, err = r.listNodes(ctx)
	slices.SortFunc(c.Nodes, func(a, b downstream.Node) int { return strings.Compare(a.Name, b.Name) })
	return part("Nodes", err)
}

func (r Reader) clusterPods(ctx context.Context, c *downstream.Cluster) (err error) {
	static, err := r.listPods(ctx, wellknown.System, metav1.ListOptions{LabelSelector: kcmSelector})
	if err != nil {
		return part("Pods kube-system with "+kcmSelector, err)
	}
	for _, p := range static {
		switch p.Labels["component"] {
		case wellknown.KCM:
			c.KCMPods = append(c.KCMPods, p)
		case wellknown.APIServer:
			c.APIPods = append(c.APIPods, p)
		}
	}
	c.CCMPods, err = r.listPods(ctx, wellknown.System, metav1.ListOptions{LabelSelector: ccmSelector})
	return part("Pods kube-system with "+ccmSelector, err)
}

func (r Reader) clusterCCM(ctx context.Context, c *downstream.Cluster) error {
	set, err := r.Kube.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
	switch {
	case absent(err):
		return nil
	case err != nil:
		return part("DaemonSet kube-system/"+wellknown.CCM, err)
	}
	ccm := DaemonSet(set)
	c.CCM = &ccm
	return nil
}

func (r Reader) clusterLeases(ctx context.Context, c *downstream.Cluster) (err error) {
	for _, name := range leases() {
		if *c.Leases.Named(name), err = r.lease(ctx, name); err != nil {
			return part("Lease kube-system/"+name, err)
		}
	}
	return nil
}

func (r Reader) clusterRights(ctx context.Context, c *downstream.Cluster) (err error) {
	for _, right := range []struct {
		verb string
		into *bool
	}{{"get", &c.MayGet}, {"update", &c.MayUpdate}} {
		if *right.into, err = r.may(ctx, right.verb); err != nil {
			return part(fmt.Sprintf("SubjectAccessReview for %s to %s Lease kube-system/%s", wellknown.KCMUser, right.verb, wellknown.MigrationLease), err)
		}
	}
	return nil
}

func (r Reader) clusterGrant(ctx context.Context, c *downstream.Cluster) error {
	role, err := r.hasRole(ctx)
	if err != nil {
		return part("Role kube-system/"+wellknown.Grant, err)
	}
	binding, err := r.hasBinding(ctx)
	c.OwnGrant = role || binding
	return part("RoleBinding kube-system/"+wellknown.Grant, err)
}
