package rke2

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// interleaved calls writes after every Get, as another writer between read and patch.
type interleaved struct {
	dynamic.ResourceInterface
	writes func(reading int)
	read   int
}

func (b *interleaved) Get(ctx context.Context, name string, o metav1.GetOptions, sub ...string) (*unstructured.Unstructured, error) {
	found, err := b.ResourceInterface.Get(ctx, name, o, sub...)
	b.read++
	b.writes(b.read)
	return found, err
}

// The patch must not overwrite another writer, and must not mark another writer's pause:
// an undo would end it. The test needs a real API server for its answer to a stale version.
// A ConfigMap replaces the RKEControlPlane, since pause only touches metadata.
func TestPauseBesideAnotherWriter(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	kube, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		name       string
		annotation string // key that another writer sets after a reading
		until      int    // number of the last reading with a write after it
		ours       bool
		fails      bool
	}{
		{"no other writer", "", 0, true, false},
		{"a status that moves", "example.com/x", 3, true, false},
		{"a status that never rests", "example.com/x", 1 << 20, false, true},
		{"a person pauses", rancher.PausedAnnotation, 1, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := fmt.Sprintf("demo-%d", i)
			if _, err := kube.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			plain := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("default")
			planes := &interleaved{ResourceInterface: plain, writes: func(reading int) {
				if reading > tt.until {
					return
				}
				value := "true"
				if tt.annotation != rancher.PausedAnnotation {
					value = fmt.Sprint(reading)
				}
				patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, tt.annotation, value)
				if _, err := plain.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "kubectl"}); err != nil {
					t.Error(err)
				}
			}}
			ours, err := pause(t.Context(), planes, name, "run-1")
			if ours != tt.ours || (err != nil) != tt.fails {
				t.Errorf("ours %t, %v", ours, err)
			}
			left, err := plain.Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if by := left.GetAnnotations()[rancher.PausedByAnnotation]; (by == "run-1") != tt.ours {
				t.Errorf("paused by %q", by)
			}
		})
	}
}
