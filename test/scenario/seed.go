package scenario

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SecondNode makes the machine of a Node register under a second name, as for a name that depends
// on the cloud provider. It returns that name.
func (l *Lab) SecondNode(ctx context.Context, node string) (string, error) {
	nodes := l.Downstream.CoreV1().Nodes()
	second, err := nodes.Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	second.ObjectMeta = metav1.ObjectMeta{Name: "second-" + node, Labels: second.Labels, Annotations: second.Annotations}
	if _, err := nodes.Create(ctx, second, metav1.CreateOptions{}); err != nil {
		return "", fmt.Errorf("a second Node for the machine of %s: %w", node, err)
	}
	return second.Name, nil
}
