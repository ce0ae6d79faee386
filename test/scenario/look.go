package scenario

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Until polls a condition until it holds, an error ends it, or ctx does. The
// text a condition returns says what it saw last.
func Until(ctx context.Context, what string, condition func(context.Context) (bool, string, error)) error {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	seen := ""
	for {
		ok, now, err := condition(ctx)
		if err == nil && ok {
			return nil
		}
		if err != nil {
			now = err.Error()
		}
		if seen == "" || ctx.Err() == nil { // that it was cut off says less than what it saw before
			seen = now
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; last seen: %s", what, ctx.Err(), seen)
		case <-ticker.C:
		}
	}
}

// Identity is what must survive of a Node.
type Identity struct{ UID, ProviderID string }

// Identities of all Nodes by name.
func (l *Lab) Identities(ctx context.Context) (map[string]Identity, error) {
	nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	all := map[string]Identity{}
	for _, n := range nodes.Items {
		all[n.Name] = Identity{string(n.UID), n.Spec.ProviderID}
	}
	return all, nil
}

// Cordoned are the names of unschedulable Nodes.
func (l *Lab) Cordoned(ctx context.Context) ([]string, error) {
	nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, n := range nodes.Items {
		if n.Spec.Unschedulable {
			names = append(names, n.Name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// Cordon sets or takes away a cordon, as a person would.
func (l *Lab) Cordon(ctx context.Context, node string, on bool) error {
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, on)
	_, err := l.Downstream.CoreV1().Nodes().Patch(ctx, node, "application/merge-patch+json", patch, metav1.PatchOptions{})
	return err
}

// Hostname is the load balancer's, empty while there is none.
func (l *Lab) Hostname(ctx context.Context, namespace, name string) (string, error) {
	service, err := l.Downstream.CoreV1().Services(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil || len(service.Status.LoadBalancer.Ingress) == 0 {
		return "", err
	}
	return service.Status.LoadBalancer.Ingress[0].Hostname, nil
}

// LoadBalancer creates a Service of type LoadBalancer.
func (l *Lab) LoadBalancer(ctx context.Context, name string) error {
	_, err := l.Downstream.CoreV1().Services("default").Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"app": name},
			Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	return err
}

// WaitHostname waits for a load balancer.
func (l *Lab) WaitHostname(ctx context.Context, name string) (string, error) {
	hostname := ""
	err := Until(ctx, "a hostname of Service default/"+name, func(ctx context.Context) (bool, string, error) {
		var err error
		hostname, err = l.Hostname(ctx, "default", name)
		return hostname != "", "no hostname", err
	})
	return hostname, err
}

// Tainted says whether a Node waits to be initialized by a cloud provider.
func Tainted(node *corev1.Node) bool {
	for _, t := range node.Spec.Taints {
		if strings.HasSuffix(t.Key, "uninitialized") {
			return true
		}
	}
	return false
}

// Workers are the names of the Nodes without a control-plane or etcd role, sorted.
func (l *Lab) Workers(ctx context.Context) ([]string, error) {
	return l.nodesBy(ctx, "!node-role.kubernetes.io/control-plane,!node-role.kubernetes.io/controlplane,!node-role.kubernetes.io/etcd")
}

// ControlPlanes are the names of RKE2's control-plane Nodes, sorted.
func (l *Lab) ControlPlanes(ctx context.Context) ([]string, error) {
	return l.nodesBy(ctx, "node-role.kubernetes.io/control-plane")
}

func (l *Lab) nodesBy(ctx context.Context, selector string) ([]string, error) {
	nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, n := range nodes.Items {
		names = append(names, n.Name)
	}
	sort.Strings(names)
	return names, nil
}

// The leases of the two managers' own elections.
const (
	KCMLease = "kube-controller-manager"
	CCMLease = "cloud-controller-manager"
)

// WaitHolder waits until a Lease in kube-system is renewed by whoever has it, and returns who
// that is. A lease that changes hands meanwhile is not renewed yet.
func (l *Lab) WaitHolder(ctx context.Context, name string) (string, error) {
	holder, first := "", ""
	err := Until(ctx, "Lease kube-system/"+name+" to be renewed", func(ctx context.Context) (bool, string, error) {
		lease, err := l.Downstream.CoordinationV1().Leases("kube-system").Get(ctx, name, metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil || lease.Spec.RenewTime == nil {
			return false, "nobody holds it", err
		}
		now := lease.Spec.RenewTime.String()
		if *lease.Spec.HolderIdentity != holder {
			holder, first = *lease.Spec.HolderIdentity, now
		}
		return now != first, holder + " holds it and did not renew it yet", nil
	})
	return holder, err
}
