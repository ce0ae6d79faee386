package clustertest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Permissive returns a fake API that allows every access review except for denied verbs. It
// omits authorization, preconditions of deletes, and the server's changes to objects.
func Permissive(denied []string, objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	client.PrependReactor("create", "subjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).DeepCopy()
		review.Status.Allowed = !slices.Contains(denied, review.Spec.ResourceAttributes.Verb)
		return true, review, nil
	})
	return client
}

// Writes returns the verbs and objects of a client's write requests, in order and without
// access reviews.
func Writes(client *fake.Clientset) []string {
	var all []string
	for _, action := range client.Actions() {
		switch a := action.(type) {
		case clienttesting.PatchAction:
			all = append(all, "patch "+a.GetResource().Resource+"/"+a.GetName())
		case clienttesting.DeleteAction:
			all = append(all, "delete "+a.GetResource().Resource+"/"+a.GetName())
		case clienttesting.CreateAction:
			if meta, ok := a.GetObject().(metav1.Object); ok && a.GetResource().Resource != "subjectaccessreviews" {
				all = append(all, a.GetVerb()+" "+a.GetResource().Resource+"/"+meta.GetName())
			}
		}
	}
	return all
}

// Served returns the fake API of a cluster at a position. Its holders renew their leases
// before each read.
func Served(p position.Position) *fake.Clientset {
	snap := At(p)
	client := Permissive(nil, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wellknown.System, UID: "the-cluster"}})
	if p == position.P0 {
		client = Permissive([]string{"get", "update"}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wellknown.System, UID: "the-cluster"}})
	}
	add := func(o runtime.Object) {
		if err := client.Tracker().Add(o); err != nil {
			panic(err) // two objects have one name
		}
	}
	for i := range snap.Reading.Down.Nodes {
		node := &snap.Reading.Down.Nodes[i]
		labels, words := map[string]string{"kubernetes.io/hostname": node.Name}, `["server"]`
		if p >= position.P4 {
			words = `["server", "--kubelet-arg", "cloud-provider=external"]`
		}
		maps.Copy(labels, node.Labels)
		add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: types.UID(node.UID), Labels: labels, Annotations: map[string]string{"rke2.io/node-args": words}}, Spec: corev1.NodeSpec{ProviderID: node.ProviderID},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}, NodeInfo: corev1.NodeSystemInfo{KubeletVersion: node.Kubelet}}})
	}
	for _, k := range snap.Reading.KCMs {
		words := []string{"--cloud-provider=" + k.Args.Last(component.CloudProvider)}
		if k.Mode().IsMigrating() {
			words = append(words, "--enable-leader-migration=true")
		}
		add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: wellknown.KCM + "-" + k.Node, Labels: map[string]string{"component": wellknown.KCM, "tier": "control-plane"},
			Annotations: map[string]string{"kubernetes.io/config.mirror": "x", "kubernetes.io/config.hash": "h"}},
			Spec:   corev1.PodSpec{NodeName: k.Node, HostNetwork: true, Containers: []corev1.Container{{Name: wellknown.KCM, Command: []string{wellknown.KCM}, Args: words}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}, ContainerStatuses: []corev1.ContainerStatus{{Name: wellknown.KCM, Ready: true}}}})
	}
	if snap.Reading.Down.CCM != nil {
		labels := map[string]string{"k8s-app": wellknown.CCM}
		flags := snap.Reading.Down.CCM.Containers[0]
		spec := corev1.PodSpec{NodeSelector: map[string]string{controlPlaneLabel: "true"}, ServiceAccountName: wellknown.CCM,
			Containers: []corev1.Container{{Name: flags.Name, Image: flags.Image, Args: append(flags.Args, "--configure-cloud-routes=false")}}}
		add(&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: wellknown.CCM, UID: "ccm", Generation: 1},
			Spec:   appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec}},
			Status: appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberReady: 2}})
		for _, name := range []string{"cp-0", "cp-1"} {
			on := *spec.DeepCopy()
			on.NodeName = name
			add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "ccm-" + name, Labels: labels, OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: wellknown.CCM, UID: "ccm", Controller: ptr.To(true)}}}, Spec: on,
				Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}, ContainerStatuses: []corev1.ContainerStatus{{Name: flags.Name, Ready: true}}}})
		}
	}
	Renew(client, p, 0)
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.CreateAction).GetObject(), nil // the clientset does not support dry runs
	})
	return client
}

// Renew answers reads of the leases at a position. The holders renew before each read, except
// for the first still reads.
func Renew(client *fake.Clientset, p position.Position, still int) {
	leases := LeasesAt(p)
	holders := map[string]string{wellknown.MigrationLease: leases.Migration.Last.Holder, wellknown.KCMLease: leases.KCM.Last.Holder, wellknown.CCMLease: leases.CCM.Last.Holder}
	managers := map[string]string{"cp-0_kcm": wellknown.KCM, "cp-1_ccm": wellknown.CCM}
	looks := 0
	client.PrependReactor("get", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
		name := action.(clienttesting.GetAction).GetName()
		holder := holders[name]
		if holder == "" {
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "leases"}, name)
		}
		looks++
		writes := max(looks-still, 0)
		return true, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: name, UID: "u", ResourceVersion: fmt.Sprint(writes + 1),
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: managers[holder], FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:renewTime":{}}}`)}}},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: ptr.To[int32](15), RenewTime: &metav1.MicroTime{Time: Start.Add(time.Duration(writes) * time.Second)}}}, nil
	})
}
