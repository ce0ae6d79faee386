package rkestate

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// A switch may change the hostname label that these volumes require.
func TestReadPinnedVolumes(t *testing.T) {
	volume := func(name string, affinity *corev1.VolumeNodeAffinity) *corev1.PersistentVolume {
		return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeSpec{NodeAffinity: affinity}}
	}
	to := func(key string, values ...string) *corev1.VolumeNodeAffinity {
		return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "other", Operator: corev1.NodeSelectorOpExists}, {Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}}}}}}
	}
	client := fake.NewSimpleClientset(volume("anywhere", nil), volume("nowhere", &corev1.VolumeNodeAffinity{}), volume("local", to(corev1.LabelHostname, "a", "b")),
		volume("second", to(corev1.LabelHostname, "c")), volume("zone", to(corev1.LabelTopologyZone, "us-east-1a")))
	want := []PinnedVolume{{Name: "local", Hostname: "a"}, {Name: "local", Hostname: "b"}, {Name: "second", Hostname: "c"}}
	if got := ReadPinnedVolumes(t.Context(), client); !got.OK() || cmp.Diff(want, got.Value) != "" {
		t.Errorf("%+v", got)
	}
	client.PrependReactor("list", "persistentvolumes", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("away") })
	if got := ReadPinnedVolumes(t.Context(), client); got.OK() || !got.Looked {
		t.Errorf("%+v", got)
	}
}
