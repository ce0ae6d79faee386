package node

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestPlainNodes(t *testing.T) {
	client := fake.NewClientset()
	nodes := make([]PlainNode, 50)
	for i := range nodes {
		nodes[i] = PlainNode{Name: fmt.Sprintf("ip-10-1-0-%d.ec2.internal", i), MachineUID: fmt.Sprintf("uid-%d", i),
			InstanceID: fmt.Sprintf("i-%017x", i), PrivateIP: fmt.Sprintf("10.1.0.%d", i), Zone: "us-east-1b"}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Plain(ctx, PlainConfig{Client: client, Heartbeat: 20 * time.Millisecond}, nodes) }()
	waitFor(t, "a lease for every node", func() bool {
		leases, err := client.CoordinationV1().Leases(corev1.NamespaceNodeLease).List(t.Context(), metav1.ListOptions{})
		return err == nil && len(leases.Items) == len(nodes)
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	node, err := client.CoreV1().Nodes().Get(t.Context(), nodes[7].Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(node.Status.Images) != plainImages || node.Spec.ProviderID != "aws:///us-east-1b/"+nodes[7].InstanceID || !isReady(node) ||
		node.Annotations[nodeArgsAnnotation] == "" || node.Labels[machineLabel] != "uid-7" || len(node.Spec.Taints) != 0 {
		t.Errorf("node %+v", node)
	}
}
