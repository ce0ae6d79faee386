package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
)

// clusters returns the resource of Rancher's Cluster objects.
func clusters() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
}

// bootTimeout bounds the boot. The error names what a lab that is not ready by then waited for.
const bootTimeout = 5 * time.Minute

// createCluster creates the Cluster object, as a user would.
func (l *Lab) createCluster(ctx context.Context, _ *errgroup.Group) error {
	if err := ensureNamespace(ctx, l.mgmt, ClusterNamespace); err != nil {
		return err
	}
	if err := ensureUsers(ctx, l.mgmt, managementViewer()); err != nil {
		return err
	}
	object, err := Object(l.options)
	if err != nil {
		return err
	}
	if err := l.applyTemplates(ctx); err != nil {
		return err
	}
	_, err = l.mgmtObjects.Resource(clusters()).Namespace(ClusterNamespace).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating Cluster %s/%s: %w", ClusterNamespace, ClusterName, err)
	}
	if l.options.Layout != Custom {
		return nil
	}
	return l.registerMachines(ctx)
}

// registerMachines creates the machines of a cluster without pools.
func (l *Lab) registerMachines(ctx context.Context) error {
	pools, err := l.options.Pools()
	if err != nil {
		return err
	}
	for _, p := range pools {
		for i := range p.Quantity {
			want := rancher.Machine{
				Namespace: ClusterNamespace, Cluster: ClusterName, OS: "linux",
				ControlPlane: p.ControlPlane, Etcd: p.Etcd, Worker: p.Worker,
			}
			name := fmt.Sprintf("%s-%s-%d", ClusterName, p.Name, i)
			if err := l.machines.register(ctx, name, want, l.rancher.RegisterCustom); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle waits for the cluster and creates the objects that a used cluster has.
func (l *Lab) settle(ctx context.Context) error {
	limit := bootTimeout
	if l.options.Real {
		limit = 2 * bootTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the lab did not boot within %s", limit))
	defer cancel()
	return l.bootSteps(ctx,
		bootStep{"machines and Nodes", l.waitNodes},
		bootStep{"users and the Service default/web", l.seed},
		bootStep{"load balancer of Service default/web", l.waitService},
		bootStep{"Cluster Ready", l.waitApplication},
		bootStep{"Pods Ready", l.waitPods},
		bootStep{"Nodes without machines", l.createPlainNodes},
		bootStep{"helm controller", l.waitHelmController},
		bootStep{"the baseline for reset", l.remember},
	)
}

// bootStep is one part of a boot that the lab's status names.
type bootStep struct {
	name string
	run  func(context.Context) error
}

func (l *Lab) bootSteps(ctx context.Context, steps ...bootStep) error {
	for _, step := range steps {
		l.state.set(PhaseBooting, step.name, time.Now())
		if err := step.run(ctx); err != nil {
			l.state.set(PhaseFailed, err.Error(), time.Now())
			return err
		}
	}
	l.state.set(PhaseReady, "", time.Now())
	l.log.Info("the lab is ready")
	return nil
}

// waitApplication waits for Rancher, if the lab has one.
func (l *Lab) waitApplication(ctx context.Context) error {
	switch l.options.Distro {
	case RKE2:
		return l.waitCluster(ctx)
	case RKE1:
		return l.waitManaged(ctx)
	case RKE:
	}
	return nil
}

func (l *Lab) wantedNodes() (int, error) {
	pools, err := l.options.Pools()
	total := 0
	for _, p := range pools {
		total += p.Quantity
	}
	return total, err
}

func (l *Lab) waitNodes(ctx context.Context) error {
	want, err := l.wantedNodes()
	if err != nil {
		return err
	}
	return poll(ctx, 250*time.Millisecond, "the Nodes", func(ctx context.Context) (bool, string, error) {
		list, err := l.down.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		ready := 0
		for _, n := range list.Items {
			if nodeReady(n) {
				ready++
			}
		}
		seen := fmt.Sprintf("%d of %d Nodes Ready", ready, want)
		l.state.setDetail(seen)
		return ready >= want, seen, nil
	})
}

// waitPods waits for the pods of kube-system. On machines that boot at the same time on two
// processors, a kube-controller-manager may lose its lease once and start again.
func (l *Lab) waitPods(ctx context.Context) error {
	return poll(ctx, time.Second, "the Pods", func(ctx context.Context) (bool, string, error) {
		list, err := l.down.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		for _, pod := range list.Items {
			if !podReady(pod) {
				return false, "Pod " + pod.Name + " is not Ready", nil
			}
		}
		return true, "", nil
	})
}

func podReady(pod corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func nodeReady(n corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (l *Lab) waitCluster(ctx context.Context) error {
	return poll(ctx, 250*time.Millisecond, "Cluster "+ClusterName, func(ctx context.Context) (bool, string, error) {
		object, err := l.mgmtObjects.Resource(clusters()).Namespace(ClusterNamespace).Get(ctx, ClusterName, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		status, message := condition(object, "Ready")
		return status == "True", fmt.Sprintf("condition Ready is %q: %s", status, message), nil
	})
}

func condition(object *unstructured.Unstructured, kind string) (status, message string) {
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, item := range list {
		c, ok := item.(map[string]any)
		if ok && c["type"] == kind {
			status, _ = c["status"].(string)
			message, _ = c["message"].(string)
			return status, message
		}
	}
	return "", "it is not there"
}

// seed creates the objects that a cluster in use has before a migration.
func (l *Lab) seed(ctx context.Context) error {
	if err := ensureUsers(ctx, l.down, downstreamViewer()); err != nil {
		return err
	}
	return ensureService(ctx, l.down)
}

func ensureService(ctx context.Context, client kubernetes.Interface) error {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"app": "web"},
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080)}},
		},
	}
	_, err := client.CoreV1().Services(service.Namespace).Create(ctx, service, metav1.CreateOptions{})
	return ignoreExists(err)
}

func (l *Lab) waitService(ctx context.Context) error {
	return poll(ctx, 250*time.Millisecond, "a hostname of Service default/web", func(ctx context.Context) (bool, string, error) {
		service, err := l.down.CoreV1().Services("default").Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		for _, ingress := range service.Status.LoadBalancer.Ingress {
			if ingress.Hostname != "" {
				return true, ingress.Hostname, nil
			}
		}
		return false, "no ingress", nil
	})
}

func ensureNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return ignoreExists(err)
}

// ensureUsers gives the operator all rights and the viewer the given rules.
func ensureUsers(ctx context.Context, client kubernetes.Interface, viewer []rbacv1.PolicyRule) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "lab-viewer"}, Rules: viewer}
	_, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
	return errors.Join(ignoreExists(err),
		bind(ctx, client, "lab-operator", "cluster-admin", UserOperator),
		bind(ctx, client, "lab-viewer", "lab-viewer", UserViewer))
}

func bind(ctx context.Context, client kubernetes.Interface, name, role, user string) error {
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}
	_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	return ignoreExists(err)
}

// managementViewer returns rules for Rancher's cluster objects, without Secrets.
func managementViewer() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{
		APIGroups: []string{"provisioning.cattle.io", "rke.cattle.io", "cluster.x-k8s.io", "management.cattle.io"},
		Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"},
	}}
}

// downstreamViewer returns rules to read everything but Secrets, and to ask for the rights of
// others.
func downstreamViewer() []rbacv1.PolicyRule {
	read := []string{"get", "list", "watch"}
	return []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Verbs: read, Resources: []string{
			"configmaps", "endpoints", "events", "namespaces", "nodes", "persistentvolumeclaims", "persistentvolumes", "pods", "pods/log",
			"serviceaccounts", "services",
		}},
		{APIGroups: []string{"apps", "batch", "coordination.k8s.io", "helm.cattle.io", "policy", "rbac.authorization.k8s.io", "storage.k8s.io"},
			Resources: []string{"*"}, Verbs: read},
		{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}},
	}
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func ignoreExists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
