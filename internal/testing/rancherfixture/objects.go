package rancherfixture

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// Object is a Rancher object as its API serves it.
type Object = map[string]any

// objects returns, by resource, the objects of a cluster at rest with one control plane, cp,
// and one worker, w.
func objects() map[string]Object {
	rke := Object{"machineGlobalConfig": Object{config.KeyProvider: "aws"}, "machineSelectorConfig": []any{Object{"config": Object{"protect-kernel-defaults": false}}},
		"etcdSnapshotCreate": Object{"generation": int64(2)},
		"machinePools":       []any{Object{"name": "cp", "quantity": int64(1), "controlPlaneRole": true, "etcdRole": true}, Object{"name": "w", "quantity": int64(1), "workerRole": true}}}
	copied := runtime.DeepCopyJSON(rke)
	copied["kubernetesVersion"] = "v1.26.13+rke2r1"
	ready := []any{Object{"type": "Ready", "status": "True"}, Object{"type": "Reconciled", "status": "True"}}
	machine := func(name, role string) Object {
		return Object{"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "metadata": Object{"namespace": "fleet-default", "name": name, "uid": "uid-" + name,
			"labels": Object{"cluster.x-k8s.io/cluster-name": "demo", "rke.cattle.io/rke-machine-pool-name": name, role: "true", config.LabelEtcd: "true"}},
			"status": Object{"phase": "Running", "nodeRef": Object{"name": "node-" + name}, "conditions": []any{Object{"type": "PlanApplied", "status": "True"}, Object{"type": "Reconciled", "status": "True"}}}}
	}
	return map[string]Object{
		"cluster": {"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "metadata": Object{"namespace": "fleet-default", "name": "demo", "uid": "uid-demo", "resourceVersion": "7", "generation": int64(3)},
			"spec": Object{"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": rke}, "status": Object{"clusterName": "c-m-1", "observedGeneration": int64(3)}},
		"plane": {"apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane", "metadata": Object{"namespace": "fleet-default", "name": "demo", "generation": int64(4)},
			"spec": copied, "status": Object{"appliedSpec": runtime.DeepCopyJSON(copied), "observedGeneration": int64(4), "etcdSnapshotCreate": Object{"generation": int64(2)}, "conditions": ready}},
		"cp": machine("cp", config.LabelControlPlane), "w": machine("w", config.LabelWorker),
		"other":   {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "metadata": Object{"namespace": "fleet-default", "name": "a-strange", "labels": Object{"cluster.x-k8s.io/cluster-name": "other"}}},
		"capi":    {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": Object{"namespace": "fleet-default", "name": "demo"}, "spec": Object{}},
		"setting": {"apiVersion": "management.cattle.io/v3", "kind": "Setting", "metadata": Object{"name": "server-version"}, "value": "v2.8.5", "default": "v2.8.0"},
	}
}

// Release is the part of a Rancher release in which its API differs. The zero value is that of
// Rancher 2.8.
type Release struct {
	V1Beta2 bool // Cluster API in v1beta2 alone
	Beacons bool // serves Beacons, and has one without an owner
}

// Client serves the objects of Rancher 2.8 after change. It omits rights, new object versions,
// and Rancher itself.
func Client(t *testing.T, change func(map[string]Object)) *dynamicfake.FakeDynamicClient {
	t.Helper()
	return Release{}.Client(t, change)
}

// Client serves the objects of a release after change. The names of objects are their keys.
func (r Release) Client(t *testing.T, change func(map[string]Object)) *dynamicfake.FakeDynamicClient {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{ControlPlanes: "RKEControlPlaneList", Clusters: "ClusterList",
		r.machines(): "MachineList", r.capiClusters(): "ClusterList", settings: "SettingList"})
	all := objects()
	if r.V1Beta2 {
		for _, name := range []string{"cp", "w", "other", "capi"} {
			toV1Beta2(all[name])
		}
	}
	if r.Beacons {
		all["beacon"] = Object{"apiVersion": "plan.cattle.io/v1alpha1", "kind": "Beacon", "metadata": Object{"namespace": "fleet-default", "name": "demo"}, "status": Object{"active": false}}
	}
	if change != nil {
		change(all)
	}
	resources := map[string]schema.GroupVersionResource{"cluster": Clusters, "plane": ControlPlanes, "capi": r.capiClusters(), "setting": settings, "beacon": Beacons}
	for name, o := range all {
		resource, ok := resources[name]
		if !ok {
			resource = r.machines()
		}
		u := &unstructured.Unstructured{Object: o}
		if err := client.Tracker().Create(resource, u, u.GetNamespace()); err != nil {
			t.Fatal(err)
		}
	}
	return client
}

// Kube returns a client whose discovery shows the resources of the release.
func (r Release) Kube() *fake.Clientset {
	client := fake.NewClientset()
	serve := func(resources ...schema.GroupVersionResource) {
		list := &metav1.APIResourceList{GroupVersion: resources[0].GroupVersion().String()}
		for _, one := range resources {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: one.Resource, Namespaced: true})
		}
		client.Resources = append(client.Resources, list)
	}
	serve(r.machines(), r.capiClusters())
	if r.Beacons {
		serve(Beacons)
	}
	return client
}

func (r Release) capi() schema.GroupVersion {
	if r.V1Beta2 {
		return schema.GroupVersion{Group: CAPIClusters.Group, Version: "v1beta2"}
	}
	return CAPIClusters.GroupVersion()
}

func (r Release) machines() schema.GroupVersionResource { return r.capi().WithResource("machines") }

func (r Release) capiClusters() schema.GroupVersionResource { return r.capi().WithResource("clusters") }

// toV1Beta2 converts an object as Cluster API does. Rancher's conditions remain in the deprecated
// place (kubernetes-sigs/cluster-api:api/core/v1beta1/conversion.go@v1.11.0).
func toV1Beta2(o Object) {
	o["apiVersion"] = "cluster.x-k8s.io/v1beta2"
	if status, is := o["status"].(Object); is {
		status["deprecated"] = Object{"v1beta1": Object{"conditions": status["conditions"]}}
		status["conditions"] = []any{Object{"type": "Ready", "status": "False", "reason": "NotReady"}, Object{"type": "Deleting", "status": "False", "reason": "NotDeleting"}}
	}
	if o["kind"] == "Machine" {
		o["spec"] = Object{"infrastructureRef": Object{"apiGroup": "rke-machine.cattle.io", "kind": "Amazonec2Machine", "name": o["metadata"].(Object)["name"]}}
	}
}

// Rancher's resources, for reactors of tests.
var (
	Clusters      = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
	ControlPlanes = schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}
	CAPIClusters  = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "clusters"}
	Beacons       = schema.GroupVersionResource{Group: "plan.cattle.io", Version: "v1alpha1", Resource: "beacons"}
	settings      = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "settings"}
)
