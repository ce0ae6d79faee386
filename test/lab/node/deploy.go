package node

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	addonsFile = dataDir + "/server/manifests/rancher/addons.yaml"
	// deployedFile holds the content that this machine applied last, and the kinds in it.
	deployedFile = dataDir + "/server/manifests/.lab-deployed.json"
	// ownerLabel marks the objects of addons.yaml, as wrangler's apply does, so that an object
	// which was removed from the file is pruned.
	ownerLabel = "objectset.rio.cattle.io/hash"
	ownerName  = "objectset.rio.cattle.io/owner-name"
)

// deployLoop is RKE2's deploy controller for the one file that Rancher writes. Only the server
// that holds the Lease kube-system/rke2 applies it: when its own file changes, or when it
// acquires the Lease with another content.
func (a *Agent) deployLoop(ctx context.Context) {
	identity := a.c.OSHostname + "_" + a.c.Name
	for ctx.Err() == nil {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "rke2"},
			Client:     a.admin.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		}
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 45 * time.Second, RenewDeadline: 30 * time.Second, RetryPeriod: 2 * time.Second,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: a.deployWhileLeading, OnStoppedLeading: func() {},
			},
		})
		if err != nil {
			a.logf("deploy: %v", err)
			return
		}
		elector.Run(ctx)
		wait(ctx, a.c.Clock, time.Second)
	}
}

func (a *Agent) deployWhileLeading(ctx context.Context) {
	said := ""
	for ok := true; ok; ok = wait(ctx, a.c.Clock, time.Second) {
		err := a.deploy(ctx)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			a.logf("deploy: %v", err)
		}
	}
}

// deployed holds the manifests that this machine applied last.
type deployed struct {
	Checksum string                    `json:"checksum"`
	Kinds    []schema.GroupVersionKind `json:"kinds"`
}

func (a *Agent) deploy(ctx context.Context) error {
	content, err := a.fs.read(addonsFile)
	if err != nil || content == nil {
		return err
	}
	var last deployed
	if raw, err := a.fs.read(deployedFile); err == nil && raw != nil {
		if err := json.Unmarshal(raw, &last); err != nil {
			return fmt.Errorf("reading %s: %w", deployedFile, err)
		}
	}
	sum := planChecksum(content)
	if sum == last.Checksum {
		return nil
	}
	objects, err := parseObjects(content)
	if err != nil {
		return fmt.Errorf("%s: %w", addonsFile, err)
	}
	kinds, err := a.applyObjects(ctx, objects, last.Kinds)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(deployed{sum, kinds})
	if err != nil {
		return err
	}
	a.logf("deploy: applied %d objects of %s", len(objects), addonsFile)
	return a.fs.write(deployedFile, raw)
}

// parseObjects parses a stream of YAML documents and skips empty ones.
func parseObjects(content []byte) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for {
		object := map[string]any{}
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(out)+1, err)
		}
		if len(object) > 0 {
			out = append(out, &unstructured.Unstructured{Object: object})
		}
	}
}

func addonsHash() string {
	sum := sha1.Sum([]byte("k3s.cattle.io/v1, Kind=Addon kube-system/addons"))
	return hex.EncodeToString(sum[:])
}

// applyObjects applies by server-side apply, and prunes other objects with the label. It
// returns the kinds that a later prune must check.
func (a *Agent) applyObjects(ctx context.Context, objects []*unstructured.Unstructured, before []schema.GroupVersionKind) ([]schema.GroupVersionKind, error) {
	client, err := dynamic.NewForConfig(a.adminConfig)
	if err != nil {
		return nil, err
	}
	found, err := discovery.NewDiscoveryClientForConfig(a.adminConfig)
	if err != nil {
		return nil, err
	}
	resources, err := restmapper.GetAPIGroupResources(found)
	if err != nil {
		return nil, fmt.Errorf("asking the downstream API for its kinds: %w", err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(resources)
	kinds := append([]schema.GroupVersionKind{{Group: "helm.cattle.io", Version: "v1", Kind: "HelmChart"}}, before...)
	wanted := map[string]bool{}
	for _, object := range objects {
		kinds = append(kinds, object.GroupVersionKind())
		key, err := a.applyObject(ctx, client, mapper, object)
		if err != nil {
			return nil, err
		}
		wanted[key] = true
	}
	kinds = uniqueKinds(kinds)
	for _, kind := range kinds {
		if err := prune(ctx, client, mapper, kind, wanted); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

func (a *Agent) applyObject(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, object *unstructured.Unstructured) (string, error) {
	target, namespace, err := resourceOf(client, mapper, object)
	if err != nil {
		return "", err
	}
	object = object.DeepCopy()
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	labels[ownerLabel], annotations[ownerName] = addonsHash(), "addons"
	object.SetLabels(labels)
	object.SetAnnotations(annotations)
	object.SetNamespace(namespace)
	raw, err := object.MarshalJSON()
	if err != nil {
		return "", err
	}
	force := true
	_, err = target.Patch(ctx, object.GetName(), types.ApplyPatchType, raw, metav1.PatchOptions{FieldManager: "deploy@" + a.c.OSHostname, Force: &force})
	if err != nil {
		return "", fmt.Errorf("applying %s %s/%s: %w", object.GetKind(), namespace, object.GetName(), err)
	}
	return objectKey(object), nil
}

// resourceOf returns the client of an object. A namespaced object without a namespace goes to
// default, as in RKE2.
func resourceOf(client dynamic.Interface, mapper meta.RESTMapper, object *unstructured.Unstructured) (dynamic.ResourceInterface, string, error) {
	kind := object.GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, "", fmt.Errorf("applying %s %s: %w", kind.Kind, object.GetName(), err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return client.Resource(mapping.Resource), "", nil
	}
	namespace := orDefault(object.GetNamespace(), metav1.NamespaceDefault)
	return client.Resource(mapping.Resource).Namespace(namespace), namespace, nil
}

func prune(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, kind schema.GroupVersionKind, wanted map[string]bool) error {
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return nil // the kind went away, and its objects with it
	}
	if err != nil {
		return err
	}
	list, err := client.Resource(mapping.Resource).List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "=" + addonsHash()})
	if err != nil {
		return fmt.Errorf("pruning %s: %w", kind.Kind, err)
	}
	for i := range list.Items {
		object := &list.Items[i]
		if wanted[objectKey(object)] {
			continue
		}
		err := client.Resource(mapping.Resource).Namespace(object.GetNamespace()).Delete(ctx, object.GetName(), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("pruning %s %s/%s: %w", kind.Kind, object.GetNamespace(), object.GetName(), err)
		}
	}
	return nil
}

func objectKey(o *unstructured.Unstructured) string {
	return o.GroupVersionKind().GroupKind().String() + " " + o.GetNamespace() + "/" + o.GetName()
}

func uniqueKinds(kinds []schema.GroupVersionKind) []schema.GroupVersionKind {
	seen := map[schema.GroupVersionKind]bool{}
	out := kinds[:0:0]
	for _, kind := range kinds {
		if !seen[kind] {
			seen[kind] = true
			out = append(out, kind)
		}
	}
	return out
}
