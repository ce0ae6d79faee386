package job

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

func exits() Exits {
	return Exits{Final: []int32{2, 3, 4, 5, 6, 7, 9}, Again: []int32{1, 8, 10, 11, 129, 130}}
}

// cases are manifests of every form, by golden file.
func cases() map[string]Options {
	const image = "registry.example/awsmigrate:1"
	return map[string]Options{
		"rke2.yaml": {Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "fleet-default", Image: image, Exits: exits(), Args: []string{"--edits", "apply", "--until", "verify"}},
		"plan.yaml": {Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "team-a", Image: image, Exits: exits(), Suspend: true,
			Plan: []byte("{\"kind\":\"Plan\"}\n"), ServiceAccount: "migrator", AWSSecret: "aws-keys", DownstreamSecret: "prod-own",
			CloudConfig: SecretReference{Namespace: "team-a", Name: "cloud"}},
		"elsewhere.yaml": {Distribution: wellknown.RKE2, Cluster: "prod", Namespace: "fleet-default", Image: image, Exits: exits(),
			CloudConfig: SecretReference{Namespace: "credentials", Name: "cloud"}},
		"rke.yaml":     {Distribution: wellknown.RKE, Cluster: "c-7kq2x", Namespace: "fleet-default", Image: image, Exits: exits()},
		"rke-own.yaml": {Distribution: wellknown.RKE, Cluster: "c-7kq2x", Namespace: "team-a", Image: image, Exits: exits(), DownstreamSecret: "prod-own"},
	}
}

func TestYAML_golden(t *testing.T) {
	for name, options := range cases() {
		got, err := YAML(options)
		if err != nil {
			t.Fatal(err)
		}
		golden.Require(t, name, string(got))
	}
}

// Rules name their objects wherever Kubernetes allows it. No rule allows changing rights, running
// commands, or listing Secrets.
func TestObjects_rights_areBound(t *testing.T) {
	for name, options := range cases() {
		for _, scope := range options.Rights() {
			for _, r := range scope.Rules {
				if len(r.ResourceNames) == 0 && !slices.Equal(r.Verbs, []string{"create"}) && !slices.Equal(r.Verbs, []string{"list"}) {
					t.Errorf("%s: %v of %v without names", name, r.Verbs, r.Resources)
				}
				for _, word := range slices.Concat(r.Verbs, r.Resources, r.APIGroups) {
					if strings.Contains(word, "*") || slices.Contains([]string{"rbac.authorization.k8s.io", "delete", "watch", "impersonate", "escalate", "bind"}, word) {
						t.Errorf("%s: grants %s", name, word)
					}
				}
				if slices.Contains(r.Resources, "secrets") && slices.Contains(r.Verbs, "list") {
					t.Errorf("%s: lists Secrets", name)
				}
				if scope.Namespace == "" && len(r.ResourceNames) == 0 {
					t.Errorf("%s: %v of %v in all namespaces", name, r.Verbs, r.Resources)
				}
			}
		}
	}
}

func TestJobName_longCluster_fitsLabel(t *testing.T) {
	o := Options{Cluster: strings.Repeat("x", 63)}
	other := Options{Cluster: strings.Repeat("x", 62) + "y"}
	if len(o.jobName()) > nameLimit || o.jobName() == other.jobName() {
		t.Errorf("%q and %q", o.jobName(), other.jobName())
	}
}

// The names of a cluster's Job and cluster-scoped rights never equal those of another cluster.
func TestNames_clusterNamedLikeAnother_differ(t *testing.T) {
	long := Options{Cluster: strings.Repeat("x", 63)}
	like := Options{Cluster: strings.TrimPrefix(strings.TrimPrefix(long.jobName(), "awsmigrate."), "awsmigrate-")}
	if long.jobName() == like.jobName() || len(like.jobName()) > nameLimit {
		t.Errorf("%q and %q", long.jobName(), like.jobName())
	}
	one, other := Options{Namespace: "team-a", Cluster: "prod"}, Options{Namespace: "team", Cluster: "a-prod"}
	if one.clusterWide() == other.clusterWide() {
		t.Errorf("both are %q", one.clusterWide())
	}
}

// The API server accepts the printed documents unchanged, twice, and its strictest pod security
// level accepts the pod.
func TestObjects_onAPIServer_areAccepted(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	kube := kubernetes.NewForConfigOrDie(server.Config())
	apply := applier{dynamic.NewForConfigOrDie(server.Config()), restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(server.Config())))}
	for _, name := range []string{"fleet-default", "team-a", "credentials", "c-7kq2x"} {
		_, err := kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/enforce-version": "v1.26"}}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, options := range cases() {
		text, err := YAML(options)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := apply.all(t.Context(), text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		job, err := kube.BatchV1().Jobs(options.Namespace).Get(t.Context(), options.jobName(), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if job.Spec.PodFailurePolicy == nil || len(job.Spec.PodFailurePolicy.Rules) != 3 || job.Spec.ActiveDeadlineSeconds != nil || job.Spec.TTLSecondsAfterFinished != nil {
			t.Errorf("%s: %+v", name, job.Spec)
		}
		if _, err := kube.CoreV1().Pods(options.Namespace).Create(t.Context(), podOf(job), metav1.CreateOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		background := metav1.DeletePropagationBackground
		if err := kube.BatchV1().Jobs(options.Namespace).Delete(t.Context(), job.Name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil { // another case has one of this name
			t.Fatal(err)
		}
	}
}

func podOf(job *batchv1.Job) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: job.Name + "-", Labels: job.Spec.Template.Labels}, Spec: job.Spec.Template.Spec}
}

// applier does what `kubectl apply --server-side --validate=strict -f -` does.
type applier struct {
	client dynamic.Interface
	mapper meta.RESTMapper
}

func (a applier) all(ctx context.Context, text []byte) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); err == io.EOF { //nolint:errorlint // as its documentation says
			return nil
		} else if err != nil {
			return err
		}
		if object.Object == nil {
			continue
		}
		if err := a.one(ctx, object); err != nil {
			return err
		}
	}
}

func (a applier) one(ctx context.Context, object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return err
	}
	raw, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	yes := true
	var resource dynamic.ResourceInterface = a.client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		resource = a.client.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	_, err = resource.Patch(ctx, object.GetName(), "application/apply-patch+yaml", raw,
		metav1.PatchOptions{FieldManager: "test", Force: &yes, FieldValidation: metav1.FieldValidationStrict})
	return err
}
