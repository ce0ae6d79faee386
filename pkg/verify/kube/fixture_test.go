package kube

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

const nodeCount = 7

// fill creates one of everything the reader looks for, and some objects that it must omit.
func fill(t *testing.T, c kubernetes.Interface) {
	t.Helper()
	o := metav1.CreateOptions{}
	ctx := t.Context()
	var errs []error
	keep := func(_ any, err error) { errs = append(errs, err) }
	for i := range nodeCount {
		labels := map[string]string{"kubernetes.io/hostname": fmt.Sprintf("n%d", i)}
		if i == 0 {
			labels["node-role.kubernetes.io/control-plane"] = "true"
		}
		keep(c.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i), Labels: labels}, Spec: corev1.NodeSpec{ProviderID: fmt.Sprintf("aws:///us-east-1a/i-0000000%d", i)}}, o))
	}
	keep(c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "web"}}, o))
	keep(c.CoreV1().Pods("kube-system").Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-controller-manager-n0", Labels: map[string]string{"component": "kube-controller-manager"}, Annotations: map[string]string{annotationMirror: "x", annotationConfigHash: "h"}},
		Spec: corev1.PodSpec{NodeName: "n0", HostNetwork: true, Containers: []corev1.Container{{
			Name: "kube-controller-manager", Image: "rancher/hardened-kubernetes:v1.26.13", Command: []string{"kube-controller-manager"},
			Args: []string{"--cloud-provider=aws", "--enable-leader-migration=true", "--cloud-provider=external"},
		}}},
	}, o))
	keep(c.CoreV1().Pods("kube-system").Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "etcd-n0", Labels: map[string]string{"component": "etcd"}, Annotations: map[string]string{annotationMirror: "x"}},
		Spec:       corev1.PodSpec{NodeName: "n0", HostNetwork: true, Containers: []corev1.Container{{Name: "etcd", Image: "etcd:3.5"}}},
	}, o))
	ccm := corev1.PodSpec{
		Containers: []corev1.Container{{
			Name: "aws-cloud-controller-manager", Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.28.1",
			Args:         []string{"--cloud-provider=aws", "--enable-leader-migration", "--leader-migration-config=/etc/m/f.yaml"},
			VolumeMounts: []corev1.VolumeMount{{Name: "m", MountPath: "/etc/m"}},
		}},
		Volumes: []corev1.Volume{{Name: "m", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "migration"}}}}},
	}
	app := map[string]string{"k8s-app": "aws-cloud-controller-manager"}
	keep(c.AppsV1().DaemonSets("kube-system").Create(ctx, &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "aws-cloud-controller-manager", Annotations: map[string]string{annotationRelease: "aws-cloud-controller-manager", annotationReleaseNS: "kube-system"}},
		Spec:       appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: app}, Template: template(app, ccm)},
	}, o))
	other := map[string]string{"k8s-app": "other"}
	plain := corev1.PodSpec{Containers: []corev1.Container{{Name: "x", Image: "nginx:1"}}}
	keep(c.AppsV1().DaemonSets("kube-system").Create(ctx, &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "other"}, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: other}, Template: template(other, plain)},
	}, o))
	keep(c.CoreV1().Pods("kube-system").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "ccm-1", Labels: app, OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "aws-cloud-controller-manager", UID: "d", Controller: ptr.To(true)}}}, Spec: ccm}, o))
	keep(c.CoreV1().ConfigMaps("kube-system").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "migration"}, Data: map[string]string{"f.yaml": "leaderName: x"}}, o))
	extra := corev1.PodSpec{Containers: []corev1.Container{{Name: "x", Image: "registry/kube-controller-manager:v1.26.13"}}}
	for name, spec := range map[string]corev1.PodSpec{"extra": extra, "web": plain} {
		l := map[string]string{"app": name}
		keep(c.AppsV1().Deployments("kube-system").Create(ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: l}, Template: template(l, spec)},
		}, o))
	}
	fillMore(t, c, keep)
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func fillMore(t *testing.T, c kubernetes.Interface, keep func(any, error)) {
	t.Helper()
	ctx, o := t.Context(), metav1.CreateOptions{}
	for status, name := range map[string]string{"deployed": "sh.helm.release.v1.a.v2", "superseded": "sh.helm.release.v1.a.v1"} {
		keep(c.CoreV1().Secrets("kube-system").Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"owner": "helm", "name": "a", "status": status, "version": "2"}},
			Data:       map[string][]byte{"release": []byte("secret values")},
		}, o))
	}
	keep(c.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "system:cloud-controller-manager"}}, o))
	for name, kind := range map[string]corev1.ServiceType{"front": corev1.ServiceTypeLoadBalancer, "back": corev1.ServiceTypeClusterIP} {
		keep(c.CoreV1().Services("web").Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Type: kind, Ports: []corev1.ServicePort{{Port: 80}}}}, o))
	}
	for kind, name := range map[string]string{"Service": "front", "Pod": "p"} {
		keep(c.CoreV1().Events("web").Create(ctx, &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Name: name + ".1"}, InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: "web", Name: name}, Reason: "SyncLoadBalancerFailed", Type: "Warning",
		}, o))
	}
	source := map[string]corev1.PersistentVolumeSource{
		"ebs":  {AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://us-east-1a/vol-1"}},
		"host": {HostPath: &corev1.HostPathVolumeSource{Path: "/x"}},
	}
	for name, s := range source {
		keep(c.CoreV1().PersistentVolumes().Create(ctx, &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeSource: s, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
		}}, o))
	}
	for name, provisioner := range map[string]string{"gp2": downstream.InTreeEBS, "local": "kubernetes.io/no-provisioner"} {
		keep(c.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner}, o))
	}
	keep(c.StorageV1().CSINodes().Create(ctx, &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: downstream.CSIEBS, NodeID: "i-1"}}}}, o))
}

func template(labels map[string]string, spec corev1.PodSpec) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec}
}
