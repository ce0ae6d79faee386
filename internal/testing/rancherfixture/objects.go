package rancherfixture

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"

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

// Client serves these objects after change. It omits rights, new object versions, and Rancher
// itself.
func Client(t *testing.T, change func(map[string]Object)) *dynamicfake.FakeDynamicClient {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{ControlPlanes: "RKEControlPlaneList", Clusters: "ClusterList",
		machines: "MachineList", CAPIClusters: "ClusterList", settings: "SettingList"})
	all := objects()
	if change != nil {
		change(all)
	}
	resources := map[string]schema.GroupVersionResource{"cluster": Clusters, "plane": ControlPlanes, "capi": CAPIClusters, "setting": settings}
	for name, o := range all {
		resource, ok := resources[name]
		if !ok {
			resource = machines
		}
		u := &unstructured.Unstructured{Object: o}
		if err := client.Tracker().Create(resource, u, u.GetNamespace()); err != nil {
			t.Fatal(err)
		}
	}
	return client
}

// Rancher's resources, for reactors of tests.
var (
	Clusters      = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
	ControlPlanes = schema.GroupVersionResource{Group: "rke.cattle.io", Version: "v1", Resource: "rkecontrolplanes"}
	CAPIClusters  = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "clusters"}
	machines      = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "machines"}
	settings      = schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "settings"}
)
