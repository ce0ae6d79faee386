package cluster

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/lab/node"
)

// plainNodes returns Nodes that only exist and send heartbeats, spread over the zones, with
// addresses outside the machines' subnets.
func plainNodes(count int) []node.PlainNode {
	zones := []string{"us-east-1a", "us-east-1b", "us-east-1c"}
	nodes := make([]node.PlainNode, 0, count)
	for i := range count {
		high, low := i/250, i%250+1
		nodes = append(nodes, node.PlainNode{
			Name:       fmt.Sprintf("ip-10-1-%d-%d.ec2.internal", high, low),
			InstanceID: fmt.Sprintf("i-%017x", 0xa0000000+i),
			PrivateIP:  fmt.Sprintf("10.1.%d.%d", high, low),
			Zone:       zones[i%len(zones)],
		})
	}
	return nodes
}

// createPlainNodes starts the Nodes without machines and waits until they exist. They send
// heartbeats until the lab ends.
func (l *Lab) createPlainNodes(ctx context.Context) error {
	wanted := plainNodes(l.options.Nodes)
	if len(wanted) == 0 {
		return nil
	}
	failed := make(chan error, 1)
	go func() {
		failed <- node.Plain(context.WithoutCancel(ctx), node.PlainConfig{Client: l.down}, wanted)
	}()
	return poll(ctx, time.Second, "the Nodes without machines", func(ctx context.Context) (bool, string, error) {
		select {
		case err := <-failed:
			return false, "", fmt.Errorf("creating Nodes without machines: %w", err)
		default:
		}
		for _, one := range []node.PlainNode{wanted[0], wanted[len(wanted)-1]} {
			if _, err := l.down.CoreV1().Nodes().Get(ctx, one.Name, metav1.GetOptions{}); err != nil {
				return false, "not all there", nil //nolint:nilerr // the API may not serve it yet
			}
		}
		return true, "all there", nil
	})
}
