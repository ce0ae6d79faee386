package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/likeness"
)

// Trouble returns what kubelets say of the CCM's pods that do not start.
func (l *Lab) Trouble(ctx context.Context) ([]string, error) {
	pods, err := l.Downstream.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "k8s-app=aws-cloud-controller-manager"})
	if err != nil {
		return nil, err
	}
	events, err := l.Downstream.CoreV1().Events(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return likeness.Trouble(pods.Items, events.Items), nil
}
