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
	// kcmSelector selects RKE2's static pods of kube-apiserver and kube-controller-manager
	// (rancher/rke2:pkg/staticpod/staticpod.go@v1.26.15+rke2r1).
	kcmSelector = "component in (kube-apiserver,kube-controller-manager),tier=control-plane"
)

// PartError names the part of a cluster that could not be read.
type PartError struct {
	Object string // "Nodes", "Lease kube-system/a"
	Err    error  // the client's error
}

func (e *PartError) Error() string { return "reading " + e.Object + ": " + e.Err.Error() }

// Unwrap returns the client's error.
func (e *PartError) Unwrap() error { return e.Err }

func partError(object string, err error) error {
	if err == nil {
		return nil
	}
	return &PartError{Object: object, Err: err}
}

// stepReader returns a Reader without timeouts: a run has its own.
func stepReader(client kubernetes.Interface) Reader {
	return Reader{Kube: client, Timeout: NoTimeout, PageSize: DefaultPageSize}
}

// ReadCluster reads the facts that steps use, each part with a quorum read. It makes eleven
// requests in sequence if the Nodes fit one page. The first failing part fails the whole read
// with a *PartError, because a partial reading gives no position. The DaemonSet comes before its pods: its
// controller deletes those of an old version that fail before it reports the new version as seen
// (kubernetes/kubernetes@v1.26.13:pkg/controller/daemon, syncDaemonSet).
func ReadCluster(ctx context.Context, client kubernetes.Interface) (downstream.Cluster, error) {
	var c downstream.Cluster
	r := stepReader(client)
	for _, read := range []func(context.Context, *downstream.Cluster) error{
		r.clusterNodes, r.clusterCCM, r.clusterPods, r.clusterLeases, r.clusterRights, r.clusterGrant,
	} {
		if err := read(ctx, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// ReadServices reads the Services of type LoadBalancer. It returns a *PartError on failure.
func ReadServices(ctx context.Context, client kubernetes.Interface) ([]downstream.Service, error) {
	read := stepReader(client).services(ctx)
	if !read.OK() {
		return nil, &PartError{Object: "Services of the cluster to migrate", Err: read.Err}
	}
	return read.Value, nil
}

// ReadLeases reads the three leases once. It returns a *PartError on failure.
func ReadLeases(ctx context.Context, client kubernetes.Interface) (lease.Readings, error) {
	var c downstream.Cluster
	err := stepReader(client).clusterLeases(ctx, &c)
	return c.Leases, err
}

// EventsOf lists the newest page of events in kube-system for objects with the name prefix. It
// returns a *PartError on failure.
func EventsOf(ctx context.Context, client kubernetes.Interface, prefix string) ([]downstream.Event, error) {
	list, err := client.CoreV1().Events(wellknown.System).List(ctx, metav1.ListOptions{Limit: DefaultPageSize})
	if err != nil {
		return nil, partError("Events in kube-system", err)
	}
	return filter(list.Items, func(e *corev1.Event) (downstream.Event, bool) {
		return convertEvent(e), strings.HasPrefix(e.InvolvedObject.Name, prefix)
	}), nil
}

// ServiceEvents lists the events of Services. It returns a *PartError on failure.
func ServiceEvents(ctx context.Context, client kubernetes.Interface) ([]downstream.Event, error) {
	read := stepReader(client).eventsOf(ctx, metav1.NamespaceAll, ofServices)
	if !read.OK() {
		return nil, &PartError{Object: "Events of Services of the cluster to migrate", Err: read.Err}
	}
	return read.Value, nil
}

func (r Reader) clusterNodes(ctx context.Context, c *downstream.Cluster) (err error) {
	c.Nodes, err = r.listNodes(ctx)
	slices.SortFunc(c.Nodes, func(a, b downstream.Node) int { return strings.Compare(a.Name, b.Name) })
	return partError("Nodes", err)
}

func (r Reader) clusterPods(ctx context.Context, c *downstream.Cluster) (err error) {
	static, err := r.listPods(ctx, wellknown.System, metav1.ListOptions{LabelSelector: kcmSelector})
	if err != nil {
		return partError("Pods kube-system with "+kcmSelector, err)
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
	return partError("Pods kube-system with "+ccmSelector, err)
}

func (r Reader) clusterCCM(ctx context.Context, c *downstream.Cluster) error {
	set, err := r.Kube.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
	switch {
	case isNotFound(err):
		return nil
	case err != nil:
		return partError("DaemonSet kube-system/"+wellknown.CCM, err)
	}
	ccm := DaemonSet(set)
	c.CCM = &ccm
	return nil
}

func (r Reader) clusterLeases(ctx context.Context, c *downstream.Cluster) (err error) {
	for _, name := range leaseNames() {
		if *c.Leases.Named(name), err = r.lease(ctx, name); err != nil {
			return partError("Lease kube-system/"+name, err)
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
			return partError(fmt.Sprintf("SubjectAccessReview for %s to %s Lease kube-system/%s", wellknown.KCMUser, right.verb, wellknown.MigrationLease), err)
		}
	}
	return nil
}

func (r Reader) clusterGrant(ctx context.Context, c *downstream.Cluster) error {
	role, err := r.hasRole(ctx)
	if err != nil {
		return partError("Role kube-system/"+wellknown.Grant, err)
	}
	binding, err := r.hasBinding(ctx)
	c.OwnGrant = role || binding
	return partError("RoleBinding kube-system/"+wellknown.Grant, err)
}
