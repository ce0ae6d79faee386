package kube

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPodHashIsKept(t *testing.T) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotationConfigHash: "abc"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Env: []corev1.EnvVar{{Name: "FILE_HASH"}}}}}}
	if pod(p).PodHash {
		t.Error("FILE_HASH is in every release")
	}
	p.Spec.Containers[0].Env = append(p.Spec.Containers[0].Env, corev1.EnvVar{Name: "POD_HASH", Value: "x"})
	if m := Mirror(p, "v1.26.7+rke2r1"); !pod(p).PodHash || !m.PodHash || m.Hash != "abc" || m.Kubelet != "v1.26.7+rke2r1" {
		t.Errorf("%+v", m)
	}
}
