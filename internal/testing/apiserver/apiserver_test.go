package apiserver_test

import (
	"os"
	"strings"
	"testing"

	authorization "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
)

func client(t *testing.T, config *rest.Config) kubernetes.Interface {
	t.Helper()
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNew_realServer_serves(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	admin := client(t, server.Config())
	ctx := t.Context()

	if version, err := admin.Discovery().ServerVersion(); err != nil || !strings.HasPrefix(version.GitVersion, "v") {
		t.Fatalf("version %v, %v", version, err)
	}

	// leader-migration-ccm.md 1.6: the bootstrap roles of 1.26 let the controller
	// manager create the migration lease but neither get nor update it.
	for verb, want := range map[string]bool{"create": true, "get": false, "update": false} {
		review := &authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{
			User: "system:kube-controller-manager",
			ResourceAttributes: &authorization.ResourceAttributes{
				Namespace: "kube-system", Verb: verb, Group: "coordination.k8s.io", Resource: "leases",
				Name: "cloud-provider-extraction-migration",
			},
		}}
		got, err := admin.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status.Allowed != want {
			t.Errorf("may system:kube-controller-manager %s the lease: %v, wanted %v", verb, got.Status.Allowed, want)
		}
	}

	stranger := client(t, server.As("stranger"))
	if _, err := stranger.CoreV1().Secrets("default").List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a user without rights lists Secrets: %v, wanted forbidden", err)
	}

	loaded, err := clientcmd.BuildConfigFromFlags("", server.Kubeconfig(t))
	if err != nil {
		t.Fatal(err)
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
	if _, err := client(t, loaded).CoreV1().ConfigMaps("default").Create(ctx, object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	if _, err := admin.CoreV1().ConfigMaps("default").Get(ctx, "kept", metav1.GetOptions{}); err == nil {
		t.Error("a stopped server answered")
	}
	server.Restart(t)
	if _, err := admin.CoreV1().ConfigMaps("default").Get(ctx, "kept", metav1.GetOptions{}); err != nil {
		t.Errorf("after the restart: %v", err)
	}

	audit, err := os.ReadFile(server.AuditLog())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"kept"`, `"impersonatedUser":{"username":"stranger"`} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log does not hold %s", want)
		}
	}
}
