package kube

import (
	"errors"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// polled returns a cluster with everything that steps read. The fake client knows no rights:
// here every user may get, and nothing else.
func polled() *fake.Clientset {
	meta := func(name string, labels ...string) metav1.ObjectMeta {
		m := metav1.ObjectMeta{Namespace: wellknown.System, Name: name, Labels: map[string]string{}}
		for i := 0; i+1 < len(labels); i += 2 {
			m.Labels[labels[i]] = labels[i+1]
		}
		return m
	}
	client := fake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
		&corev1.Pod{ObjectMeta: meta("kcm", "component", "kube-controller-manager", "tier", "control-plane")},
		&corev1.Pod{ObjectMeta: meta("api", "component", "kube-apiserver", "tier", "control-plane")},
		&corev1.Pod{ObjectMeta: meta("kcm-look-alike", "component", "kube-controller-manager")},
		&corev1.Pod{ObjectMeta: meta("ccm", "k8s-app", wellknown.CCM)},
		&appsv1.DaemonSet{ObjectMeta: meta(wellknown.CCM)},
		&coordinationv1.Lease{ObjectMeta: meta(wellknown.MigrationLease)}, &coordinationv1.Lease{ObjectMeta: meta(wellknown.CCMLease)},
		&rbacv1.RoleBinding{ObjectMeta: meta(wellknown.Grant)},
	)
	client.PrependReactor("create", "subjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		review := a.(clienttesting.CreateAction).GetObject().(*authorizationv1.SubjectAccessReview).DeepCopy()
		review.Status.Allowed = review.Spec.User == wellknown.KCMUser && review.Spec.ResourceAttributes.Verb == "get"
		return true, review, nil
	})
	return client
}

func TestReadCluster(t *testing.T) {
	client := polled()
	c, err := ReadCluster(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 2 || c.Nodes[0].Name != "a" || len(c.KCMPods) != 1 || len(c.APIPods) != 1 || len(c.CCMPods) != 1 || c.CCM == nil || !c.OwnGrant || !c.MayGet || c.MayUpdate {
		t.Errorf("%+v", c)
	}
	if !c.Leases.Migration.Exists || c.Leases.KCM.Exists || !c.Leases.CCM.Exists {
		t.Errorf("leases %+v", c.Leases)
	}
	var asked []string
	for _, a := range client.Actions() {
		name := ""
		if get, ok := a.(clienttesting.GetAction); ok {
			name = " " + get.GetName()
		}
		asked = append(asked, a.GetVerb()+" "+a.GetResource().Resource+name)
	}
	if want := []string{
		"list nodes", "get daemonsets aws-cloud-controller-manager", "list pods", "list pods",
		"get leases cloud-provider-extraction-migration", "get leases kube-controller-manager", "get leases cloud-controller-manager",
		"create subjectaccessreviews", "create subjectaccessreviews", "get roles awsmigrate-leader-migration", "get rolebindings awsmigrate-leader-migration",
	}; !slices.Equal(asked, want) {
		t.Errorf("a poll asks %q", asked)
	}
}

// A part that fails leaves no partial cluster, and the error names the part.
func TestReadCluster_partFails_noCluster(t *testing.T) {
	away := errors.New("away")
	for resource, object := range map[string]string{
		"nodes": "Nodes", "pods": "Pods kube-system with component in", "daemonsets": "DaemonSet kube-system/aws-cloud-controller-manager",
		"leases": "Lease kube-system/cloud-provider-extraction-migration", "subjectaccessreviews": "SubjectAccessReview for system:kube-controller-manager to get Lease",
		"roles": "Role kube-system/awsmigrate-leader-migration", "rolebindings": "RoleBinding kube-system/awsmigrate-leader-migration",
	} {
		client := polled()
		client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, away })
		_, err := ReadCluster(t.Context(), client)
		var part *PartError
		if !errors.As(err, &part) || !strings.HasPrefix(part.Object, object) || part.Err.Error() != "away" {
			t.Errorf("%s: %v", resource, err)
		}
	}
}
