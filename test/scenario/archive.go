package scenario

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
)

// Archive returns the records that runs kept next to their journal, in either cluster. It is empty
// if no run kept one.
func (l *Lab) Archive(ctx context.Context) (archive.Records, error) {
	all, err := l.Downstream.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return archive.Records{}, fmt.Errorf("list the ConfigMaps of the cluster: %w", err)
	}
	if l.Management != nil {
		there, err := l.Management.Resource(configMaps()).List(ctx, metav1.ListOptions{})
		if err != nil {
			return archive.Records{}, fmt.Errorf("list the ConfigMaps of the management cluster: %w", err)
		}
		for _, one := range there.Items {
			var cm corev1.ConfigMap
			text, err := one.MarshalJSON()
			if err == nil {
				err = json.Unmarshal(text, &cm)
			}
			if err != nil {
				return archive.Records{}, fmt.Errorf("ConfigMap %s/%s: %w", one.GetNamespace(), one.GetName(), err)
			}
			all.Items = append(all.Items, cm)
		}
	}
	for i := range all.Items {
		if archive.Holds(&all.Items[i]) {
			return archive.Of(&all.Items[i]), nil
		}
	}
	return archive.Records{}, nil
}
