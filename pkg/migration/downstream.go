package migration

import (
	"context"
	"fmt"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	// ccmSelector is the chart's pod selector.
	ccmSelector = "k8s-app=" + wellknown.CCM
	// kcmSelector finds RKE2's static pods of these two
	// (rancher/rke2:pkg/staticpod/staticpod.go@v1.26.15+rke2r1).
	kcmSelector = "component in (kube-apiserver,kube-controller-manager),tier=control-plane"
	pageSize    = 500
)

// Downstream is one reading of the cluster being migrated: what a roll, a
// hand-over and the position are judged by. Checks read more, and rarely.
type Downstream struct {
	Nodes     []downstream.Node
	KCMPods   []corev1.Pod
	APIPods   []corev1.Pod      // of kube-apiservers; none where no static pods run them
	CCM       *appsv1.DaemonSet // nil: there is none
	CCMPods   []corev1.Pod
	Leases    map[string]*coordinationv1.Lease
	MayGet    bool // the KCM's user may get the migration lease
	MayUpdate bool // and update it
	OwnGrant  bool // our Role or RoleBinding exists
	// Record says that Helm's record of our release is there although its DaemonSet
	// is not: an installation, or its end, that was cut off. Read in an undo alone.
	Record bool
}

// ReadDownstream reads it once, every part with a quorum read. The first part
// that cannot be had fails the whole: half a picture gives no position.
func ReadDownstream(ctx context.Context, client kubernetes.Interface) (Downstream, error) {
	var d Downstream
	for _, read := range []func(context.Context, kubernetes.Interface) error{
		d.readNodes, d.readPods, d.readCCM, d.readLeases, d.readGrant,
	} {
		if err := read(ctx, client); err != nil {
			return d, err
		}
	}
	return d, nil
}

func (d *Downstream) readNodes(ctx context.Context, client kubernetes.Interface) error {
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := client.CoreV1().Nodes().List(ctx, options)
		if err != nil {
			return CouldNotRead("Nodes", err)
		}
		d.Nodes = append(d.Nodes, kube.Nodes(page.Items)...)
		if options.Continue = page.Continue; options.Continue == "" {
			sort.Slice(d.Nodes, func(i, j int) bool { return d.Nodes[i].Name < d.Nodes[j].Name })
			return nil
		}
	}
}

func (d *Downstream) readPods(ctx context.Context, client kubernetes.Interface) error {
	for _, part := range []struct {
		selector string
		into     *[]corev1.Pod
	}{{kcmSelector, &d.KCMPods}, {ccmSelector, &d.CCMPods}} {
		list, err := client.CoreV1().Pods(wellknown.System).List(ctx, metav1.ListOptions{LabelSelector: part.selector})
		if err != nil {
			return CouldNotRead("Pods kube-system with "+part.selector, err)
		}
		*part.into = list.Items
	}
	d.KCMPods, d.APIPods = byComponent(d.KCMPods, wellknown.KCMLease), byComponent(d.KCMPods, "kube-apiserver")
	return nil
}

func byComponent(pods []corev1.Pod, name string) []corev1.Pod {
	var found []corev1.Pod
	for i := range pods {
		if pods[i].Labels["component"] == name {
			found = append(found, pods[i])
		}
	}
	return found
}

func (d *Downstream) readCCM(ctx context.Context, client kubernetes.Interface) error {
	set, err := client.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
	switch {
	case err == nil:
		d.CCM = set
	case !apierrors.IsNotFound(err):
		return CouldNotRead("DaemonSet kube-system/"+wellknown.CCM, err)
	}
	return nil
}

func (d *Downstream) readLeases(ctx context.Context, client kubernetes.Interface) error {
	d.Leases = map[string]*coordinationv1.Lease{}
	for _, name := range []string{wellknown.MigrationLease, wellknown.KCMLease, wellknown.CCMLease} {
		lease, err := client.CoordinationV1().Leases(wellknown.System).Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			d.Leases[name] = lease
		case !apierrors.IsNotFound(err):
			return CouldNotRead("Lease kube-system/"+name, err)
		}
	}
	return nil
}

func (d *Downstream) readGrant(ctx context.Context, client kubernetes.Interface) error {
	for verb, into := range map[string]*bool{"get": &d.MayGet, "update": &d.MayUpdate} {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: wellknown.KCMUser, ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: wellknown.System, Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Name: wellknown.MigrationLease}}},
			metav1.CreateOptions{})
		if err != nil {
			return CouldNotRead(fmt.Sprintf("SubjectAccessReview for %s to %s Lease kube-system/%s", wellknown.KCMUser, verb, wellknown.MigrationLease), err)
		}
		*into = review.Status.Allowed
	}
	_, roleErr := client.RbacV1().Roles(wellknown.System).Get(ctx, wellknown.Grant, metav1.GetOptions{})
	_, bindingErr := client.RbacV1().RoleBindings(wellknown.System).Get(ctx, wellknown.Grant, metav1.GetOptions{})
	for kind, err := range map[string]error{"Role": roleErr, "RoleBinding": bindingErr} {
		switch {
		case err == nil:
			d.OwnGrant = true
		case !apierrors.IsNotFound(err):
			return CouldNotRead(kind+" kube-system/"+wellknown.Grant, err)
		}
	}
	return nil
}

// Node is the Node of a name; nil: there is none.
func (d Downstream) Node(name string) *downstream.Node {
	for i := range d.Nodes {
		if d.Nodes[i].Name == name {
			return &d.Nodes[i]
		}
	}
	return nil
}

// PodReady says whether a Pod is Ready.
func PodReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// onceItAnswers is what helps against an API that is away. Through Rancher a
// cluster's own API is away, too, while its agent is not connected: 503
// (rancher/rancher:pkg/clusterrouter/router.go@v2.8.5).
const onceItAnswers = "run the same command again once the API answers: kubectl get --raw /readyz with the same kubeconfig; " +
	"where only Rancher's way to the cluster is cut, --downstream-kubeconfig names another"

// CouldNotRead classes a failed read: nothing is known, which is never "ok".
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
	case runner.Transient(err):
		f.Fix = onceItAnswers
	}
	return f
}
