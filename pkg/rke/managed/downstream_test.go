package managed

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/viarancher"
)

// fakeMirrors returns a Rancher with two provisioning.cattle.io Clusters: one of RKE2, and the
// mirror of c-1 in its own Fleet workspace.
func fakeMirrors(t *testing.T) *dynamicfake.FakeDynamicClient {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(apiruntime.NewScheme(), map[schema.GroupVersionResource]string{mirrors: "ClusterList"})
	for _, one := range []struct{ namespace, name, id string }{{"fleet-default", "c-1", "c-m-1"}, {"team", "c-1", "c-1"}, {"fleet-default", "new", ""}} {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
			"metadata": map[string]any{"namespace": one.namespace, "name": one.name}, "status": map[string]any{"clusterName": one.id}}}
		if err := client.Tracker().Create(mirrors, u, one.namespace); err != nil {
			t.Fatal(err)
		}
	}
	return client
}

func keptFor(namespace, server string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "c-1-kubeconfig"}, Data: map[string][]byte{"value": []byte(
		`{"kind":"Config","current-context":"default","contexts":[{"name":"default","context":{"cluster":"cluster","user":"user"}}],` +
			`"clusters":[{"name":"cluster","cluster":{"server":"` + server + `"}}],"users":[{"name":"user","user":{"token":"of-rancher"}}]}`)}}
}

// If the management kubeconfig goes through Rancher, the downstream one does, too. Otherwise
// it is the Secret in the namespace of the cluster's mirror.
func TestDownstream(t *testing.T) {
	const direct, good = "https://10.0.0.1:6443", "https://10.43.0.7/k8s/clusters/c-1"
	for name, tt := range map[string]struct {
		host, want, token string
		reason            string
		workspace         string
		change            func(*dynamicfake.FakeDynamicClient, *fake.Clientset)
	}{
		"through Rancher":                      {host: "https://rancher/k8s/clusters/local", want: "https://rancher/k8s/clusters/c-1", token: "own"},
		"through Rancher, with a slash":        {host: "https://rancher/k8s/clusters/local/", want: "https://rancher/k8s/clusters/c-1", token: "own"},
		"past Rancher":                         {host: direct, want: good, token: "of-rancher"},
		"through another cluster":              {host: "https://rancher:8443/k8s/clusters/c-99", want: good, token: "of-rancher"},
		"an address that cannot be read":       {host: "https://x/%zz/k8s/clusters/local", want: good, token: "of-rancher"},
		"an address that is none of Rancher's": {host: "https://x/sub/path/k8s/clusters/local//", want: good, token: "of-rancher"},
		"its workspace is known": {host: direct, want: good, token: "of-rancher", workspace: "team", change: func(c *dynamicfake.FakeDynamicClient, _ *fake.Clientset) {
			deny(c, "list", mirrors, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil))
		}},
		"another's mirror has its name there": {host: direct, want: good, token: "of-rancher", workspace: "fleet-default"},
		"it was moved to another workspace":   {host: direct, want: good, token: "of-rancher", workspace: "old"},
		"no mirror": {host: direct, reason: "NoDownstreamKubeconfig", change: func(c *dynamicfake.FakeDynamicClient, _ *fake.Clientset) {
			deny(c, "list", mirrors, &unstructured.UnstructuredList{}, nil)
		}},
		"mirrors may not be read": {host: direct, reason: "NoDownstreamKubeconfig", change: func(c *dynamicfake.FakeDynamicClient, _ *fake.Clientset) {
			deny(c, "list", mirrors, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil))
		}},
		"Rancher is away": {host: direct, reason: "Unreachable", change: func(c *dynamicfake.FakeDynamicClient, _ *fake.Clientset) {
			deny(c, "list", mirrors, nil, errors.New("connection refused"))
		}},
		"no Secret": {host: direct, reason: "NoDownstreamKubeconfig", change: func(_ *dynamicfake.FakeDynamicClient, k *fake.Clientset) {
			_ = k.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("secrets"), "team", "c-1-kubeconfig")
		}},
		"the Secret may not be read": {host: direct, reason: "NoDownstreamKubeconfig", change: func(_ *dynamicfake.FakeDynamicClient, k *fake.Clientset) {
			k.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, apiruntime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "c-1-kubeconfig", nil)
			})
		}},
		"a Secret that leads elsewhere": {host: direct, reason: viarancher.ReasonRefused, change: func(_ *dynamicfake.FakeDynamicClient, k *fake.Clientset) {
			_ = k.Tracker().Update(corev1.SchemeGroupVersion.WithResource("secrets"), keptFor("team", "https://10.43.0.7/k8s/clusters/c-m-1"), "team")
		}},
	} {
		client, kube := fakeMirrors(t), fake.NewClientset(keptFor("team", good), keptFor("fleet-default", "https://10.43.0.7/k8s/clusters/c-m-1"))
		if tt.change != nil {
			tt.change(client, kube)
		}
		got, err := Downstream(t.Context(), Management{Config: &rest.Config{Host: tt.host, BearerToken: "own"}, Dynamic: client, Kube: kube, Clock: clock.RealClock{}},
			Cluster{ID: "c-1", DisplayName: "demo", Workspace: tt.workspace})
		if clustertest.ReasonOf(err) != tt.reason || err == nil && (got.Host != tt.want || got.BearerToken != tt.token) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if f, ok := fault.As(err); ok && (!strings.Contains(f.Fix, "--downstream-kubeconfig") && tt.reason != "Unreachable" || strings.Contains(f.Seen, "fix")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
