package fleet

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
	"github.com/awsmigrate/awsmigrate/test/sim"
)

func (f *Fleet) makeAll(ctx context.Context) error { return f.each(ctx, f.make) }

// make makes the objects of a new member.
func (f *Fleet) make(ctx context.Context, m *Member) error {
	for _, k := range m.kept {
		for _, o := range m.Objects(k.resource()) {
			if err := f.makeObject(ctx, m, k, o); err != nil {
				return err
			}
		}
	}
	if m.IsRKE() {
		if err := f.makeMirror(ctx, m); err != nil {
			return err
		}
	}
	return f.makeKubeconfig(ctx, m)
}

func (f *Fleet) makeObject(ctx context.Context, m *Member, k mirrored, o sim.Object) error {
	at := placeOf(k, o)
	if at.namespace != "" && at.namespace != Namespace {
		_, err := f.kube.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: at.namespace}}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	made := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(o)}
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation"} {
		unstructured.RemoveNestedField(made.Object, "metadata", field)
	}
	labels := made.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[rancher.Simulated] = "true"
	made.SetLabels(labels)
	made, err := f.client(k, at.namespace).Create(ctx, made, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create %s %s: %w", k.gvr.Resource, at.name, err)
	}
	if k.machines {
		m.SetMachineUID(at.name, string(made.GetUID()))
	}
	m.taken(at, made.GetGeneration())
	return nil
}

// makeMirror makes the Cluster that Rancher keeps for an RKE cluster.
func (f *Fleet) makeMirror(ctx context.Context, m *Member) error {
	client := f.dyn.Resource(clusters).Namespace(Namespace)
	mirror := &unstructured.Unstructured{Object: map[string]any{"apiVersion": clusters.GroupVersion().String(), "kind": "Cluster",
		"metadata": map[string]any{"name": m.id, "namespace": Namespace, "labels": map[string]any{rancher.Simulated: "true"}}, "spec": map[string]any{}}}
	made, err := client.Create(ctx, mirror, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create the mirror: %w", err)
	}
	made.Object["status"] = map[string]any{"clusterName": m.id, "ready": true, "clientSecretName": m.id + "-kubeconfig"}
	_, err = client.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

func (f *Fleet) makeKubeconfig(ctx context.Context, m *Member) error {
	text, err := f.kubeconfig(m)
	if err != nil {
		return err
	}
	_, err = f.kube.CoreV1().Secrets(Namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: m.Name + "-kubeconfig"},
		Data: map[string][]byte{"value": text}}, metav1.CreateOptions{})
	return err
}
