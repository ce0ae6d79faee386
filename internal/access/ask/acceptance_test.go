package ask_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
)

// site is a Rancher with a cluster behind its proxy, and an AWS. One real API server of 1.26 is both
// clusters, so that rights are the same in both. Rancher itself, and the access to its proxy, are missing.
type site struct {
	api   dynamic.Interface
	kube  kubernetes.Interface
	proxy *httptest.Server
	dir   string

	mu      sync.Mutex
	allowed map[string]bool // actions in AWS
	writes  []string        // all that was sent but reviews
}

func newSite(t *testing.T) *site {
	t.Helper()
	server := apiserver.New(t, apiserver.Options{})
	config := server.Config()
	s := &site{api: dynamic.NewForConfigOrDie(config), kube: kubernetes.NewForConfigOrDie(config), dir: t.TempDir(), allowed: map[string]bool{}}
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	s.proxy = httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		_, path, _ := strings.Cut(strings.TrimPrefix(in.URL.Path, "/k8s/clusters/"), "/")
		if in.Method != http.MethodGet && !strings.Contains(path, "/self") {
			s.mu.Lock()
			s.writes = append(s.writes, in.Method+" "+path)
			s.mu.Unlock()
		}
		(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.URL.Path = "/" + path
		}}).ServeHTTP(out, in)
	}))
	t.Cleanup(s.proxy.Close)
	cloud := httptest.NewServer(&standin.AWS{Count: 1, Allowed: func(action string) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.allowed[action]
	}})
	t.Cleanup(cloud.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": cloud.URL, "AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "us-east-1"} {
		t.Setenv(name, value)
	}
	s.kubeconfig(t, "jane", config.BearerToken)
	s.objects(t)
	return s
}

// kubeconfig returns the kubeconfig of a user of Rancher's proxy. client-go sends no token without TLS.
func (s *site) kubeconfig(t *testing.T, user, token string) {
	t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.proxy.Certificate().Raw})
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}]\nusers: [{name: u, user: {token: %q, as: %q}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n",
		s.proxy.URL+"/k8s/clusters/local", base64.StdEncoding.EncodeToString(ca), token, user)
	if err := os.WriteFile(filepath.Join(s.dir, user), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// objects creates Rancher's Cluster, and a Node in AWS.
func (s *site) objects(t *testing.T) {
	t.Helper()
	clusters := schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
	s.apply(t, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.provisioning.cattle.io}
spec:
  group: provisioning.cattle.io
  scope: Namespaced
  names: {plural: clusters, singular: cluster, kind: Cluster, listKind: ClusterList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: v1
kind: Namespace
metadata: {name: fleet-default}
`)
	apiserver.Eventually(t, func() bool {
		_, err := s.api.Resource(clusters).List(t.Context(), metav1.ListOptions{})
		return err == nil
	})
	cluster := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": "prod", "namespace": "fleet-default"},
		"spec":     map[string]any{"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": map[string]any{}}, "status": map[string]any{"clusterName": "c-m-1"}}}
	if _, err := s.api.Resource(clusters).Namespace("fleet-default").Create(t.Context(), cluster, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: corev1.NodeSpec{ProviderID: "aws:///us-east-1a/" + standin.InstanceID(0)}}
	if _, err := s.kube.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// apply does what `kubectl apply -f -` does.
func (s *site) apply(t *testing.T, text string) {
	t.Helper()
	for _, document := range strings.Split(text, "---\n") {
		var o unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(document), &o.Object); err != nil {
			t.Fatalf("%v:\n%s", err, document)
		}
		if o.Object == nil {
			continue
		}
		kind := o.GroupVersionKind()
		resource := s.api.Resource(kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s"))
		var to dynamic.ResourceInterface = resource
		if o.GetNamespace() != "" {
			to = resource.Namespace(o.GetNamespace())
		}
		if _, err := to.Apply(t.Context(), o.GetName(), &o, metav1.ApplyOptions{FieldManager: "kubectl"}); err != nil {
			t.Fatalf("%v:\n%s", err, document)
		}
	}
}

// run runs one command as a user.
func (s *site) run(t *testing.T, user string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main(t.Context(), append([]string{"verify", "--kubeconfig", filepath.Join(s.dir, user)}, args...), console.Streams{Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

func (s *site) document(t *testing.T, user string, args ...string) (int, verifyview.AccessDocument) {
	t.Helper()
	code, out, errs := s.run(t, user, append(args, "-o", "json")...)
	var doc verifyview.AccessDocument
	if err := json.Unmarshal([]byte(out), &doc); err != nil || errs != "" || doc.Code != code {
		t.Fatalf("exit %d, %v, %s:\n%s", code, err, errs, out)
	}
	return code, doc
}

// grant applies the output of -o rbac, rbac-rancher and iam.
func (s *site) grant(t *testing.T, user string, args ...string) {
	t.Helper()
	var pieces []string
	for _, format := range verifyview.AccessPieces() { // all of them of one answer
		code, out, errs := s.run(t, user, append(args, "-o", format)...)
		if code != 10 || out == "" || !strings.Contains(errs, "exit 10") {
			t.Fatalf("-o %s: exit %d, %s:\n%s", format, code, errs, out)
		}
		pieces = append(pieces, out)
	}
	s.apply(t, pieces[0])
	s.apply(t, pieces[1])
	var policy access.Policy
	if err := json.Unmarshal([]byte(pieces[2]), &policy); err != nil {
		t.Fatalf("%v:\n%s", err, pieces[2])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, action := range policy.Statement[0].Action {
		s.allowed[action] = true
	}
}

// A user without rights gets all missing rights of three sides in one answer. After the output is applied,
// nothing is missing: first for an audit, then for a run, which replaces no earlier grant.
func TestAll_printedRightsApplied_nothingMissing(t *testing.T) {
	s := newSite(t)
	for _, args := range [][]string{{"--cluster", "prod", "--access"}, {"--cluster", "prod", "--access=run"}} {
		code, doc := s.document(t, "jane", args...)
		if code != 10 || doc.Rancher == nil || len(doc.Rancher.Missing) == 0 || doc.Here.Manifest == "" || doc.Rancher.User != "jane" {
			t.Fatalf("before: exit %d, Rancher %+v, missing %v, the cluster %+v", code, doc.Rancher.Problem, doc.Rancher.Missing, doc.Here.Problem)
		}
		if args[1] == "prod" && doc.Purpose == access.Audit && (doc.Here.Problem == nil || doc.Here.Problem.Reason != "NotAsked" || len(doc.AWS.Missing) != doc.AWS.Needed) {
			t.Errorf("of the cluster %+v, of AWS %+v", doc.Here.Problem, doc.AWS)
		}
		if doc.Purpose == access.Run { // the first document fixed AWS
			s.mu.Lock()
			delete(s.allowed, "ec2:DescribeSubnets")
			s.mu.Unlock()
		}
		s.grant(t, "jane", args...)
		apiserver.Eventually(t, func() bool { // a role is in force a moment later
			code, doc = s.document(t, "jane", args...)
			return code == 0
		})
		if doc.Rancher.Manifest+doc.Here.Manifest != "" || doc.AWS.Policy != nil || doc.Here.Server != s.proxy.URL+"/k8s/clusters/c-m-1" {
			t.Errorf("after: %+v", doc)
		}
	}
	if code, doc := s.document(t, "jane", "--cluster", "prod", "--access"); code != 0 {
		t.Errorf("what a run was granted has taken away what an audit had: %+v", doc)
	}
	s.reader(t)
	if len(s.writes) > 0 {
		t.Errorf("it wrote: %v", s.writes)
	}
}

// reader creates a user with the role view, without the aggregation that its controller would do. Exactly
// the rights that such a user lacks must be named, in one answer.
func (s *site) reader(t *testing.T) {
	t.Helper()
	admin, err := os.ReadFile(filepath.Join(s.dir, "jane"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "joe"), bytes.ReplaceAll(admin, []byte(`"jane"`), []byte(`"joe"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.apply(t, `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: joe}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:aggregate-to-view"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: joe}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: rancher-view}
rules: [{apiGroups: [provisioning.cattle.io, rke.cattle.io, cluster.x-k8s.io, plan.cattle.io, rke-machine-config.cattle.io, management.cattle.io], resources: ["*"], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: joe-rancher}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: rancher-view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: joe}]
`)
	var doc verifyview.AccessDocument
	apiserver.Eventually(t, func() bool {
		_, doc = s.document(t, "joe", "--cluster", "prod", "--access")
		return doc.Here.Problem == nil && len(doc.Rancher.Missing) == 0
	})
	want := []string{"get clusterrolebindings", "get clusterroles", "get leases", "list leases", "get rolebindings", "get roles", "list csinodes",
		"list helmchartconfigs", "list helmcharts", "list nodes", "list persistentvolumes", "list secrets", "list storageclasses", "create subjectaccessreviews"}
	var got []string
	for _, r := range doc.Here.Missing {
		got = append(got, r.Verb+" "+r.Resource)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || doc.Here.User != "joe" {
		t.Errorf("missing of joe, %q:\n%v, want\n%v", doc.Here.User, got, want)
	}
}

// Without a network and AWS credentials all needed rights are still named, and each side explains why it
// could not be asked.
func TestAll_noNetwork_rightsNamed(t *testing.T) {
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	gone.Close()
	s := &site{proxy: gone, dir: t.TempDir()}
	for _, name := range []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(s.dir, "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(s.dir, "none"))
	s.kubeconfig(t, "jane", "token")
	code, doc := s.document(t, "jane", "--cluster", "prod", "--access", "--request-timeout", "5s")
	if code != 10 && code != 2 {
		t.Errorf("exit %d", code)
	}
	if doc.Rancher.Problem == nil || doc.Rancher.Problem.Reason != "Unreachable" || doc.Rancher.Problem.Fix == "" || len(doc.Rancher.Unknown) != doc.Rancher.Needed || doc.Rancher.Needed == 0 {
		t.Errorf("Rancher: %+v", doc.Rancher)
	}
	if doc.Here.Problem == nil || doc.Here.Problem.Reason != "NotAsked" || len(doc.Here.Unknown) != doc.Here.Needed || doc.Here.Manifest == "" {
		t.Errorf("the cluster: %+v", doc.Here)
	}
	if len(doc.AWS.Unknown) != doc.AWS.Needed || doc.AWS.Policy == nil {
		t.Errorf("AWS: %+v", doc.AWS)
	}
	if !strings.Contains(doc.Here.Manifest, access.NoUser) {
		t.Errorf("the user is not known:\n%s", doc.Here.Manifest)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	if code := cli.Main(ctx, []string{"verify", "--kubeconfig", filepath.Join(s.dir, "jane"), "--cluster", "prod", "--access"}, console.Streams{Out: &out, Err: &errs}); code == 0 || out.Len() > 0 {
		t.Errorf("interrupted: exit %d, %s", code, out.String())
	}
}
