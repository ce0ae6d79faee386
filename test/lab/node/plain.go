package node

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"golang.org/x/sync/errgroup"
)

// PlainNode is a Node without a machine, for measurements at scale.
type PlainNode struct {
	Name       string // EC2 private DNS name
	MachineUID string
	InstanceID string
	PrivateIP  string
	Zone       string
}

// PlainConfig describes how plain nodes are kept alive.
type PlainConfig struct {
	Client    kubernetes.Interface // may create Nodes and Leases
	Heartbeat time.Duration        // of each Lease; default 10 s. The controller's grace period is 40 s
	Workers   int                  // requests at a time; default 16
	Clock     clock.WithTicker
}

// plainImages is the number of images that each Node lists, the default limit of a kubelet.
const plainImages = 25

// Plain creates worker Nodes of realistic size (25 images, RKE2's annotations, in-tree labels
// and ProviderID), then renews their Leases until ctx ends. An existing Node of the same name
// is kept. Only errors of the creation are returned.
func Plain(ctx context.Context, c PlainConfig, nodes []PlainNode) error {
	if c.Clock == nil {
		c.Clock = clock.RealClock{}
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = 10 * time.Second
	}
	if c.Workers == 0 {
		c.Workers = 16
	}
	uids := make([]types.UID, len(nodes))
	creating, limited := errgroup.WithContext(ctx)
	creating.SetLimit(c.Workers)
	for i, node := range nodes {
		creating.Go(func() (err error) {
			uids[i], err = createPlain(limited, c, node)
			return err
		})
	}
	if err := creating.Wait(); err != nil {
		return err
	}
	for ok := true; ok; ok = wait(ctx, c.Clock, c.Heartbeat) {
		renewing := errgroup.Group{}
		renewing.SetLimit(c.Workers)
		for i, node := range nodes {
			renewing.Go(func() error {
				// A missed renewal is the next one's business: four in a row show as NotReady.
				_ = renewNodeLease(ctx, c.Client, node.Name, uids[i], c.Clock.Now())
				return nil
			})
		}
		_ = renewing.Wait() // no function above fails
	}
	return nil
}

func createPlain(ctx context.Context, c PlainConfig, p PlainNode) (types.UID, error) {
	node := plainNode(p, c.Clock.Now())
	created, err := c.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		existing, err := c.Client.CoreV1().Nodes().Get(ctx, p.Name, metav1.GetOptions{})
		if err != nil {
			return "", fmt.Errorf("plain node %s: %w", p.Name, err)
		}
		return existing.UID, nil
	}
	if err != nil {
		return "", fmt.Errorf("plain node %s: %w", p.Name, err)
	}
	return created.UID, nil
}

func plainNode(p PlainNode, now time.Time) *corev1.Node {
	f := Facts{Zone: p.Zone, PrivateIP: p.PrivateIP, Roles: Roles{Worker: true}}
	config := RKE2Config{}
	config.values = map[string][]string{}
	for _, setting := range []struct {
		key    string
		values []string
	}{
		{"cloud-provider-name", []string{"aws"}},
		{"node-label", []string{"cattle.io/os=linux", machineLabel + "=" + p.MachineUID}},
		{"protect-kernel-defaults", []string{"false"}},
		{"server", []string{"https://10.0.0.10:9345"}},
		{"token", []string{"secret"}},
	} {
		config.set(setting.key, setting.values)
	}
	id := identity{Provider: "aws", Hostname: p.Name, Name: p.Name, NodeIP: p.PrivateIP, Instance: Instance{
		ID: p.InstanceID, Type: "m5.xlarge", Zone: p.Zone, PrivateIP: p.PrivateIP, PrivateDNSName: p.Name,
	}}
	node := initialNode(id, []string{"--node-ip=" + p.PrivateIP})
	for key, value := range rke2Labels(config, f.Roles) {
		node.Labels[key] = value
	}
	for key, value := range rke2Annotations(config, id, false) {
		node.Annotations[key] = value
	}
	node.Status.Capacity, node.Status.Allocatable = machineResources(), machineResources()
	node.Status.NodeInfo = nodeInfo(p.MachineUID, rke2Version, rke2Runtime)
	node.Status.Conditions = conditions(nil, true, now)
	for i := range plainImages {
		name := fmt.Sprintf("docker.io/rancher/mirrored-component-%02d", i)
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("%s@sha256:%064x", name, i+1), name + ":v1.26.13-build20240117"},
			SizeBytes: int64(i+1) * 10_000_000,
		})
	}
	return node
}
