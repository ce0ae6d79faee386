package kube

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestEBSDriver(t *testing.T) {
	key := func(optional *bool) corev1.EnvVar {
		return corev1.EnvVar{Name: "AWS_ACCESS_KEY_ID", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "key_id", Optional: optional}}}
	}
	yes := true
	for _, c := range []struct {
		name, image string
		env         corev1.EnvVar
		is, has     bool
	}{
		{"another", "nginx", corev1.EnvVar{}, false, false},
		{"as published: the Secret is optional", "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.28.0", key(&yes), true, false},
		{"a mirror with a Secret", "registry.local/k8s/aws-ebs-csi-driver@sha256:0", key(nil), true, true},
		{"a role", "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.28.0", corev1.EnvVar{Name: "AWS_WEB_IDENTITY_TOKEN_FILE", Value: "/token"}, true, true},
	} {
		got := ebsDriver(corev1.PodSpec{HostNetwork: true, Containers: []corev1.Container{{Image: c.image, Env: []corev1.EnvVar{c.env}}}}, 2)
		if (got != nil) != c.is || got != nil && (got.Identity != c.has || got.Ready != 2 || !got.HostNetwork) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
