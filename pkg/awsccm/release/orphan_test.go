package release

import (
	"context"
	"fmt"
	"testing"

	"helm.sh/helm/v3/pkg/kube"
	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// orphans covers objects that only the last record but one names. Ours are deleted. Objects
// that their chart keeps remain, as with Helm, and so do foreign ones.
func (e env) orphans(t *testing.T) {
	ctx := t.Context()
	maps := e.client.CoreV1().ConfigMaps(wellknown.System)
	manifest := ""
	for name, more := range map[string]map[string]string{
		"orphan-ours":   nil,
		"orphan-kept":   {kube.ResourcePolicyAnno: kube.KeepPolicy},
		"orphan-others": {helmReleaseName: "mine"},
	} {
		annotations := map[string]string{helmReleaseName: wellknown.CCM, helmReleaseNamespace: wellknown.System}
		for key, value := range more {
			annotations[key] = value
		}
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations, Labels: map[string]string{"app.kubernetes.io/managed-by": "Helm"}}}
		if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = maps.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}) })
		manifest += fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  namespace: %s\n  annotations: {%q: %q}\n",
			name, wellknown.System, kube.ResourcePolicyAnno, more[kube.ResourcePolicyAnno])
	}
	records := []*release.Release{{Name: wellknown.CCM, Version: 1, Manifest: manifest}, {Name: wellknown.CCM, Version: 2}}
	if err := e.installer(t, embeddedChart(t)).deleteOrphans(ctx, records); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{"orphan-ours": false, "orphan-kept": true, "orphan-others": true} {
		_, err := maps.Get(ctx, name, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		if (err == nil) != stays {
			t.Errorf("%s is there: %t, want %t", name, err == nil, stays)
		}
	}
}
