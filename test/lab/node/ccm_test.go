package node

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// cloudControllerRuns starts a real CCM with its own service account and a cloud config from a
// Secret. It must win its lease under the machine's host name.
func (m *machine) cloudControllerRuns(t *testing.T) {
	ctx := t.Context()
	const name = "aws-ccm"
	_, err := m.admin.CoreV1().ServiceAccounts("kube-system").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.admin.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: name, Namespace: "kube-system"}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.admin.CoreV1().Secrets("kube-system").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name},
		StringData: map[string]string{"cloud.conf": "[Global]\nKubernetesClusterID=from-the-secret\n"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": name}
	_, err = m.admin.AppsV1().DaemonSets("kube-system").Create(ctx, &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			HostNetwork: true, ServiceAccountName: name,
			Volumes: []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}}}},
			Containers: []corev1.Container{{
				Name: "ccm", Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14",
				Args:         []string{"--v=2", "--cloud-provider=aws", "--configure-cloud-routes=false", "--cloud-config=/etc/aws/cloud.conf"},
				VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/aws"}},
				ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
					HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(10258), Scheme: corev1.URISchemeHTTPS}}},
			}},
		}},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m.eventually("a ready CCM that holds its lease", func(ctx context.Context) error {
		ds, err := m.admin.AppsV1().DaemonSets("kube-system").Get(ctx, name, metav1.GetOptions{})
		if err != nil || ds.Status.NumberReady != 1 {
			return fmt.Errorf("not ready: %w", err)
		}
		lease, err := m.admin.CoordinationV1().Leases("kube-system").Get(ctx, "cloud-controller-manager", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if holder := *lease.Spec.HolderIdentity; !strings.HasPrefix(holder, "demo-cp-0_") {
			return fmt.Errorf("holder %s", holder)
		}
		if len(lease.ManagedFields) == 0 || lease.ManagedFields[len(lease.ManagedFields)-1].Manager != awsCCM {
			return fmt.Errorf("written by %+v", lease.ManagedFields)
		}
		return nil
	})
	if m.aws.calls(name) == 0 {
		t.Errorf("the CCM did not ask AWS under its own name: %v", m.aws.callers)
	}
	if err := m.admin.AppsV1().DaemonSets("kube-system").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	m.eventually("its process gone", func(context.Context) error {
		if !freeAddress(m.c.IP + ":10258") {
			return fmt.Errorf("10258 is still taken")
		}
		return nil
	})
}
