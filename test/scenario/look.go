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

// Until polls a condition until it holds, it returns an error, or ctx ends. The condition's text
// describes the last observation.
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
		if seen == "" || ctx.Err() == nil { // the error of a cancelled request says less than the earlier text
			seen = now
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; last seen: %s", what, ctx.Err(), seen)
		case <-ticker.C:
		}
	}
}

// Identity holds the fields of a Node that must survive.
type Identity struct{ UID, ProviderID string }

// Identities returns the identities of all Nodes by name.
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

// Cordoned returns the names of unschedulable Nodes.
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

// Cordon sets or removes a cordon, as a person would.
func (l *Lab) Cordon(ctx context.Context, node string, on bool) error {
	patch := fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, on)
	_, err := l.Downstream.CoreV1().Nodes().Patch(ctx, node, "application/merge-patch+json", patch, metav1.PatchOptions{})
	return err
}

// Hostname returns the load balancer's hostname, or an empty string if it has none yet.
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

// Tainted reports whether a Node waits for its initialization by a cloud provider.
func Tainted(node *corev1.Node) bool {
	for _, t := range node.Spec.Taints {
		if strings.HasSuffix(t.Key, "uninitialized") {
			return true
		}
	}
	return false
}

// Workers returns the sorted names of the Nodes without a control-plane or etcd role.
func (l *Lab) Workers(ctx context.Context) ([]string, error) {
	return l.nodesBy(ctx, "!node-role.kubernetes.io/control-plane,!node-role.kubernetes.io/controlplane,!node-role.kubernetes.io/etcd")
}

// ControlPlanes returns the sorted names of RKE2's control-plane Nodes.
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

// The leases of the two managers' elections.
const (
	KCMLease = "kube-controller-manager"
	CCMLease = "cloud-controller-manager"
)

// WaitHolder waits until the holder of a Lease in kube-system renews it, and returns the holder.
// The wait restarts if the holder changes.
func (l *Lab) WaitHolder(ctx context.Context, name string) (string, error) {
	holder, first := "", ""
	err := Until(ctx, "Lease kube-system/"+name+" to be renewed", func(ctx context.Context) (bool, string, error) {
		lease, err := l.Downstream.CoordinationV1().Leases("kube-system").Get(ctx, name, metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil || lease.Spec.RenewTime == nil {
			return false, "it has no holder", err
		}
		now := lease.Spec.RenewTime.String()
		if *lease.Spec.HolderIdentity != holder {
			holder, first = *lease.Spec.HolderIdentity, now
		}
		return now != first, holder + " holds it but has not renewed it yet", nil
	})
	return holder, err
}
