package rancher

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// copySeen is a change of a Cluster that its RKEControlPlane lacks.
type copySeen struct {
	generation int64
	at         time.Time
}

// controlPlaneSpecOf returns the RKEControlPlane's spec for a Cluster: their common fields, and
// the names of the cluster. Source:
// rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go@v2.8.5
// (rkeControlPlane).
func controlPlaneSpecOf(c *object, managementName string) map[string]any {
	out := map[string]any{"clusterName": c.GetName(), "managementClusterName": managementName}
	config := mapAt(c, "spec", "rkeConfig")
	for _, f := range []string{
		"upgradeStrategy", "chartValues", "machineGlobalConfig", "machineSelectorConfig", "machineSelectorFiles",
		"additionalManifest", "registries", "etcd", "networking", "provisionGeneration", "etcdSnapshotCreate",
		"etcdSnapshotRestore", "rotateCertificates", "rotateEncryptionKeys",
	} {
		if v, ok := config[f]; ok && v != nil {
			out[f] = v
		}
	}
	spec := mapAt(c, "spec")
	for _, f := range []string{"agentEnvVars", "localClusterAuthEndpoint", "kubernetesVersion"} {
		if v, ok := spec[f]; ok && v != nil {
			out[f] = v
		}
	}
	return out
}

// followCluster copies the Cluster's spec to the RKEControlPlane, some time after the change
// was first seen. Foreign annotations are kept.
func (r *Rancher) followCluster(ctx context.Context, c *object, managementName string) error {
	want := controlPlaneSpecOf(c, managementName)
	o := newObject(gvrControlPlane, "RKEControlPlane", c.GetNamespace(), c.GetName())
	o.SetLabels(map[string]string{labelCAPICluster: c.GetName()})
	o.Object["spec"] = want
	found, err := r.ensure(ctx, gvrControlPlane, o)
	if err != nil {
		return err
	}
	key := c.GetNamespace() + "/" + c.GetName()
	if equality.Semantic.DeepEqual(found.Object["spec"], any(want)) {
		r.mu.Lock()
		delete(r.seen, key)
		r.mu.Unlock()
		return nil
	}
	if !r.due(key, c.GetGeneration()) {
		return nil
	}
	return r.mutate(ctx, gvrControlPlane, c.GetNamespace(), c.GetName(), func(o *object) error {
		return unstructured.SetNestedMap(o.Object, want, "spec")
	})
}

// due reports whether a change was first seen long enough ago.
func (r *Rancher) due(key string, generation int64) bool {
	now := r.cfg.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.seen[key]
	if !ok || s.generation != generation {
		s = copySeen{generation: generation, at: now}
		r.seen[key] = s
	}
	return now.Sub(s.at) >= time.Duration(r.copyDelay.Load())
}
