package handoff_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/handoff"
)

// clusterDefinition is the part of Rancher's CRD that edits touch: free maps that are merged by
// key, and a list that is atomic
// (rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml@59bd052e).
const clusterDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.provisioning.cattle.io}
spec:
  group: provisioning.cattle.io
  scope: Namespaced
  names: {plural: clusters, singular: cluster, kind: Cluster, listKind: ClusterList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
          spec:
            type: object
            properties:
              kubernetesVersion: {type: string}
              rkeConfig:
                type: object
                nullable: true
                properties:
                  additionalManifest: {type: string}
                  etcd: {type: object, x-kubernetes-preserve-unknown-fields: true}
                  machineGlobalConfig: {type: object, nullable: true, x-kubernetes-preserve-unknown-fields: true}
                  machineSelectorConfig:
                    type: array
                    nullable: true
                    items:
                      type: object
                      properties:
                        config: {type: object, nullable: true, x-kubernetes-preserve-unknown-fields: true}
                        machineLabelSelector:
                          type: object
                          nullable: true
                          x-kubernetes-map-type: atomic
                          properties:
                            matchLabels: {type: object, additionalProperties: {type: string}}
                            matchExpressions:
                              type: array
                              x-kubernetes-list-type: atomic
                              items:
                                type: object
                                required: [key, operator]
                                properties: {key: {type: string}, operator: {type: string}, values: {type: array, items: {type: string}, x-kubernetes-list-type: atomic}}
`

// rancherAPI returns a client of a real API server with Rancher's Clusters.
func rancherAPI(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	server := apiserver.New(t, apiserver.Options{})
	client, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	var definition map[string]any
	if err := yaml.Unmarshal([]byte(clusterDefinition), &definition); err != nil {
		t.Fatal(err)
	}
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if _, err := definitions.Create(t.Context(), &unstructured.Unstructured{Object: definition}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	clusters := client.Resource(schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}).Namespace("default")
	apiserver.Eventually(t, func() bool { _, err := clusters.List(t.Context(), metav1.ListOptions{}); return err == nil })
	return clusters
}

// manifest returns a Cluster from an owner's files, with fields that are not ours.
func manifest(name string, rke map[string]any) map[string]any {
	rke = runtime.DeepCopyJSON(rke)
	rke["etcd"] = map[string]any{"snapshotRetention": "7"}
	return map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": name, "namespace": "default", "labels": map[string]any{"team": "blue"}},
		"spec":     map[string]any{"kubernetesVersion": "v1.26.15+rke2r1", "rkeConfig": rke}}
}

// replaced returns a manifest with the fields of a fragment, each replaced as a whole.
func replaced(t *testing.T, kept map[string]any, text string) map[string]any {
	t.Helper()
	var fragment struct {
		Spec struct{ RKEConfig map[string]any }
	}
	if err := yaml.Unmarshal([]byte(text), &fragment); err != nil || len(fragment.Spec.RKEConfig) == 0 {
		t.Fatal(err, text)
	}
	kept = copied(t, kept)
	spec := kept["spec"].(map[string]any)
	spec["rkeConfig"] = with(spec["rkeConfig"].(map[string]any), fragment.Spec.RKEConfig)
	return kept
}

func copied(t *testing.T, value any) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal(encoded(t, value), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// owner is a client's way to change an object from the stored version to the committed one.
type owner struct {
	form   handoff.Form
	begins func(t *testing.T, api dynamic.ResourceInterface, kept map[string]any) error
	// commits receives the stored version and the fragment.
	commits func(t *testing.T, api dynamic.ResourceInterface, kept map[string]any, text string) error
}

func create(t *testing.T, api dynamic.ResourceInterface, kept map[string]any) error {
	t.Helper()
	_, err := api.Create(t.Context(), &unstructured.Unstructured{Object: copied(t, kept)}, metav1.CreateOptions{FieldManager: "owner"})
	return err
}

func apply(t *testing.T, api dynamic.ResourceInterface, kept map[string]any) error {
	t.Helper()
	object := &unstructured.Unstructured{Object: copied(t, kept)}
	_, err := api.Apply(t.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "owner"})
	return err
}

func send(t *testing.T, api dynamic.ResourceInterface, kept map[string]any, kind types.PatchType, patch []byte) error {
	t.Helper()
	name := (&unstructured.Unstructured{Object: kept}).GetName()
	_, err := api.Patch(t.Context(), name, kind, patch, metav1.PatchOptions{FieldManager: "owner"})
	return err
}

// owners returns the ways in which a fragment reaches the API: a patch; Fleet, for which Helm
// merges fields that its last release lacks (helm/helm:pkg/kube/client.go@v3.22.0); Argo CD, as
// kubectl apply or with server-side apply; and a Cluster created from it.
func owners() map[string]owner {
	return map[string]owner{
		"kubectl patch": {handoff.Patch, create, func(t *testing.T, api dynamic.ResourceInterface, kept map[string]any, text string) error {
			return send(t, api, kept, types.JSONPatchType, []byte(text))
		}},
		"Helm": {handoff.Fleet, create, func(t *testing.T, api dynamic.ResourceInterface, kept map[string]any, text string) error {
			patch, err := jsonpatch.CreateMergePatch(encoded(t, kept), encoded(t, replaced(t, kept, text)))
			if err != nil {
				return err
			}
			return send(t, api, kept, types.MergePatchType, patch)
		}},
		"kubectl apply": {handoff.ArgoCD, create, func(t *testing.T, api dynamic.ResourceInterface, kept map[string]any, text string) error {
			live, err := api.Get(t.Context(), (&unstructured.Unstructured{Object: kept}).GetName(), metav1.GetOptions{})
			if err != nil {
				return err
			}
			patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(encoded(t, kept), encoded(t, replaced(t, kept, text)), encoded(t, live.Object))
			if err != nil {
				return err
			}
			return send(t, api, kept, types.MergePatchType, patch)
		}},
		"server-side apply": {handoff.ArgoCD, apply, func(t *testing.T, api dynamic.ResourceInterface, kept map[string]any, text string) error {
			return apply(t, api, replaced(t, kept, text))
		}},
		"a new Cluster": {handoff.Fleet, func(*testing.T, dynamic.ResourceInterface, map[string]any) error { return nil },
			func(t *testing.T, api dynamic.ResourceInterface, kept map[string]any, text string) error {
				return create(t, api, replaced(t, kept, text))
			}},
	}
}

// On a real API server a committed fragment equals our own edit in every way of committing it,
// and fields of others remain.
func TestFragmentsOnAPIServer(t *testing.T) {
	api := rancherAPI(t)
	made := 0
	for i, c := range allEdits(t) {
		spec := parse(t, c.RKE)
		change, err := compute(c, spec)
		if err != nil || change.Empty() {
			continue
		}
		made++
		t.Run(c.Name, func(t *testing.T) {
			ours := fmt.Sprintf("ours-%d", i)
			patch, err := change.JSONPatch()
			if err == nil {
				err = create(t, api, manifest(ours, c.RKE))
			}
			if err == nil {
				err = send(t, api, manifest(ours, c.RKE), types.JSONPatchType, patch)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := specOf(t, api, ours)
			after, err := change.Apply(spec)
			if err != nil {
				t.Fatal(err)
			}
			fragment := handoff.Fragment{Namespace: "default", Name: "demo", Head: []string{"one"}, Before: spec, After: after, Edit: change}
			for name, by := range owners() {
				kept := manifest(fmt.Sprintf("%s-%d", strings.ToLower(strings.ReplaceAll(name, " ", "-")), i), c.RKE)
				text, err := fragment.Text(by.form)
				if err == nil {
					err = by.begins(t, api, kept)
				}
				if err == nil {
					err = by.commits(t, api, kept, text)
				}
				if err != nil {
					t.Errorf("%s: %v\n%s", name, err, text)
					continue
				}
				if d := cmp.Diff(want, specOf(t, api, (&unstructured.Unstructured{Object: kept}).GetName())); d != "" {
					t.Errorf("%s (-our edit +the commit):\n%s\n%s", name, d, text)
				}
			}
		})
	}
	if made < 20 {
		t.Errorf("only %d edits were tried", made)
	}
}

// specOf returns a Cluster's specification without empty values.
func specOf(t *testing.T, api dynamic.ResourceInterface, name string) any {
	t.Helper()
	found, err := api.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found.GetLabels()["team"] != "blue" {
		t.Errorf("%s: labels %v", name, found.GetLabels())
	}
	if _, err := config.Parse(found.Object); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return tidy(found.Object["spec"])
}
