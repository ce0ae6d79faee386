package look

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

const workspace = "fleet-default"

type object = map[string]any

func gvr(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

var (
	newer         = gvr("provisioning.cattle.io", "v1", "clusters")
	older         = gvr("management.cattle.io", "v3", "clusters")
	olderNodes    = gvr("management.cattle.io", "v3", "nodes")
	settings      = gvr("management.cattle.io", "v3", "settings")
	planes        = gvr("rke.cattle.io", "v1", "rkecontrolplanes")
	machines      = gvr("cluster.x-k8s.io", "v1beta1", "machines")
	capiClusters  = gvr("cluster.x-k8s.io", "v1beta1", "clusters")
	migrations    = gvr("awsmigrate.io", "v1alpha1", "clustermigrations")
	definitions   = gvr("apiextensions.k8s.io", "v1", "customresourcedefinitions")
	namesOfKinds  = map[string]string{"clusters": "Cluster", "nodes": "Node", "settings": "Setting", "rkecontrolplanes": "RKEControlPlane", "machines": "Machine"}
	outsideSpaces = []schema.GroupVersionResource{older, settings}
)

// world is a real API server as Rancher's, with Rancher's proxy and the clusters behind it.
// Rancher itself is missing, so its objects never change; so are the schemas of its kinds and the
// rights to use the proxy. Each cluster is client-go's fake clientset, without rights, in which
// only leases change.
type world struct {
	api   dynamic.Interface
	kube  kubernetes.Interface
	proxy *httptest.Server

	mu       sync.Mutex
	clusters map[string]http.RoundTripper // by Rancher's id
	asked    map[string]int
	writes   []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	config := apiserver.New(t, apiserver.Options{}).Config()
	w := &world{api: dynamic.NewForConfigOrDie(config), kube: kubernetes.NewForConfigOrDie(config), clusters: map[string]http.RoundTripper{}, asked: map[string]int{}}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	host, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	w.proxy = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		id, path, _ := strings.Cut(strings.TrimPrefix(in.URL.Path, "/k8s/clusters/"), "/")
		to, at := transport, host
		if id != "local" {
			to, at = w.way(id), &url.URL{Scheme: "http", Host: "restfake"}
		}
		w.note(id, in)
		if to == nil {
			http.Error(out, "cluster agent disconnected", http.StatusServiceUnavailable)
			return
		}
		(&httputil.ReverseProxy{Transport: to, Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(at)
			r.Out.URL.Path = "/" + path
		}}).ServeHTTP(out, in)
	}))
	t.Cleanup(w.proxy.Close)
	return w
}

func (w *world) way(id string) http.RoundTripper {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clusters[id]
}

func (w *world) note(id string, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[id]++
	if r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "accessreviews") {
		w.writes = append(w.writes, r.Method+" "+r.URL.Path)
	}
}

// rancher returns a Rancher behind the proxy, for a member of groups.
func (w *world) rancher(namespace string, groups ...string) Rancher {
	config := &rest.Config{Host: w.proxy.URL + "/k8s/clusters/local"}
	if len(groups) > 0 {
		config.Impersonate = rest.ImpersonationConfig{UserName: "alice", Groups: groups}
	}
	return Rancher{Server: session.Server{Config: config}, RequestTimeout: 30 * time.Second, Namespace: namespace}
}

// define serves a kind without validation.
func (w *world) define(t *testing.T, kinds ...schema.GroupVersionResource) {
	t.Helper()
	for _, kind := range kinds {
		scope := "Namespaced"
		if slices.Contains(outsideSpaces, kind) {
			scope = "Cluster"
		}
		w.create(t, definitions, object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": kind.Resource + "." + kind.Group},
			"spec": object{"group": kind.Group, "scope": scope, "names": object{"plural": kind.Resource, "kind": namesOfKinds[kind.Resource]},
				"versions": []any{object{"name": kind.Version, "served": true, "storage": true,
					"schema": object{"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}})
	}
	for _, kind := range kinds {
		w.served(t, kind)
	}
}

func (w *world) served(t *testing.T, kind schema.GroupVersionResource) {
	t.Helper()
	apiserver.Eventually(t, func() bool {
		_, err := w.api.Resource(kind).List(t.Context(), metav1.ListOptions{})
		return err == nil
	})
}

func (w *world) create(t *testing.T, kind schema.GroupVersionResource, o object) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: o}
	made, err := w.api.Resource(kind).Namespace(u.GetNamespace()).Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("%s %s: %v", kind.Resource, u.GetName(), err)
	}
	return made
}

func (w *world) space(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := w.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// provisioned returns a cluster that Rancher provisions; change changes the Cluster and its copy.
func (w *world) provisioned(t *testing.T, namespace, name, provider string, change func(cluster, plane object)) {
	t.Helper()
	id := "c-m-" + name
	rke := object{"machineGlobalConfig": object{"cloud-provider-name": provider},
		"machinePools": []any{object{"name": "cp", "quantity": int64(2), "controlPlaneRole": true, "etcdRole": true}, object{"name": "w", "quantity": int64(1), "workerRole": true}}}
	cluster := object{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "metadata": object{"namespace": namespace, "name": name},
		"spec": object{"kubernetesVersion": "v1.26.15+rke2r1", "rkeConfig": rke}, "status": object{"clusterName": id, "observedGeneration": int64(1)}}
	yes := func(kind string) any { return object{"type": kind, "status": "True"} }
	spec := maps.Clone(rke)
	spec["kubernetesVersion"] = "v1.26.15+rke2r1"
	plane := object{"apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane", "metadata": object{"namespace": namespace, "name": name, "annotations": object{}},
		"spec": spec, "status": object{"appliedSpec": spec, "observedGeneration": int64(1), "conditions": []any{yes("Ready"), yes("Reconciled")}}}
	if change != nil {
		change(cluster, plane)
	}
	w.create(t, newer, cluster)
	w.create(t, planes, plane)
	w.create(t, older, object{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": object{"name": id, "annotations": object{"provisioning.cattle.io/management-cluster-display-name": name}},
		"spec": object{"displayName": name, "fleetWorkspaceName": namespace}, "status": object{"driver": "rke2"}})
}

// at makes the proxy lead to a cluster at a position. Its Nodes belong to Rancher's Machines.
func (w *world) at(t *testing.T, namespace, name string, p position.Position) {
	t.Helper()
	client := clustertest.Served(p)
	for node, role := range map[string]string{"cp-0": "control-plane", "cp-1": "control-plane", "worker": "worker"} {
		machine := w.machine(t, namespace, name, node, role)
		of, err := client.CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		of.Labels[rancher.MachineLabel] = string(machine.GetUID())
		if err := client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), of, ""); err != nil {
			t.Fatal(err)
		}
	}
	w.leads("c-m-"+name, client, "v1.26.15+rke2r1")
}

func (w *world) machine(t *testing.T, namespace, cluster, node, role string) *unstructured.Unstructured {
	t.Helper()
	labels := object{"cluster.x-k8s.io/cluster-name": cluster, "rke.cattle.io/rke-machine-pool-name": map[string]string{"control-plane": "cp", "worker": "w"}[role],
		"rke.cattle.io/" + role + "-role": "true"}
	return w.create(t, machines, object{"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "metadata": object{"namespace": namespace, "name": cluster + "-" + node, "labels": labels},
		"status": object{"phase": "Running", "nodeRef": object{"name": node}, "conditions": []any{object{"type": "PlanApplied", "status": "True"}, object{"type": "Reconciled", "status": "True"}}}})
}

func (w *world) leads(id string, client *fake.Clientset, version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clusters[id] = restfake.Config(client, version).Transport
}

// mirrored returns a management Cluster with its mirror.
func (w *world) mirrored(t *testing.T, id, displayName, driver string, spec object) {
	t.Helper()
	spec["displayName"], spec["fleetWorkspaceName"] = displayName, workspace
	w.create(t, older, object{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": object{"name": id}, "spec": spec,
		"status": object{"driver": driver, "version": object{"gitVersion": "v1.27.9"}, "appliedSpec": object{"rancherKubernetesEngineConfig": spec["rancherKubernetesEngineConfig"]}}})
	w.create(t, newer, object{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "metadata": object{"namespace": workspace, "name": id}, "spec": object{}, "status": object{"clusterName": id}})
}

// keeps writes a journal of this cluster.
func (w *world) keeps(t *testing.T, namespace, name string, change func(*journal.State)) {
	t.Helper()
	j := journal.NewConfigMap(w.kube, namespace, journal.Name(name), journal.Target{Kind: "rke2", Name: name, Namespace: namespace, UID: "the-cluster"})
	state, err := j.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	change(&state)
	state.Schema, state.Commit = journal.Schema, "run-1/1"
	if err := j.Commit(t.Context(), &state); err != nil {
		t.Fatal(err)
	}
}

func (w *world) locks(t *testing.T, namespace, name string, owner lock.Owner) {
	t.Helper()
	_, err := w.kube.CoordinationV1().Leases(namespace).Create(t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: journal.Name(name)},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(owner.Identity()), LeaseDurationSeconds: ptr.To[int32](120), RenewTime: &metav1.MicroTime{Time: time.Now()}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// fill creates a cluster of every kind and in every state.
func (w *world) fill(t *testing.T) {
	t.Helper()
	w.space(t, workspace, "fleet-local", "team", "many", "c-7kq2x")
	w.define(t, newer, older, olderNodes, settings, planes, machines, capiClusters)
	w.create(t, settings, object{"apiVersion": "management.cattle.io/v3", "kind": "Setting", "metadata": object{"name": "server-version"}, "value": "v2.8.5"})

	w.provisioned(t, workspace, "untouched", "aws", func(cluster, _ object) {
		cluster["metadata"].(object)["labels"] = object{"objectset.rio.cattle.io/hash": "x"}
	})
	w.at(t, workspace, "untouched", position.P0)
	w.provisioned(t, workspace, "half", "aws", nil)
	w.at(t, workspace, "half", position.P2)
	w.provisioned(t, "team", "open", "aws", nil)
	w.at(t, "team", "open", position.P2)
	w.keeps(t, "team", "open", func(s *journal.State) {
		s.Runs = []journal.Run{{ID: "run-1", Who: "bob@desk", Start: "2026-11-22T10:00:00Z", Outcome: "died"}}
		s.Intents = []journal.Intent{{Step: migration.StepCordon, What: "cordon", Object: "Node cp-0", Run: "run-1", Time: "2026-11-22T10:00:00Z"}}
	})
	w.provisioned(t, workspace, "locked", "aws", nil)
	w.at(t, workspace, "locked", position.P1)
	w.locks(t, workspace, "locked", lock.Owner{User: "alice", Host: "host", Run: "run-2"})
	w.provisioned(t, workspace, "braked", "aws", func(_, plane object) {
		plane["metadata"].(object)["annotations"] = object{rancher.PausedAnnotation: "true", rancher.PausedByAnnotation: "run-3"}
	})
	w.at(t, workspace, "braked", position.P2)
	w.provisioned(t, workspace, "away", "aws", nil)
	w.machine(t, workspace, "away", "cp-0", "control-plane")
	w.provisioned(t, workspace, "finished", "external", nil)
	w.at(t, workspace, "finished", position.P5)
	w.keeps(t, workspace, "finished", func(s *journal.State) {
		s.Runs = []journal.Run{{ID: "run-1", Who: "bob@desk", Start: "2026-11-22T10:00:00Z", Outcome: "done"}}
	})
	w.provisioned(t, workspace, "mistaken", "aws", nil)
	w.at(t, workspace, "mistaken", position.P0)
	w.leads("c-m-mistaken", clustertest.Served(position.P0), "v1.26.15+rke2r1") // whose Nodes are of no Machine
	w.provisioned(t, workspace, "foreign", "external", nil)
	w.provisioned(t, workspace, "vsphere", "rancher-vsphere", nil)
	w.provisioned(t, workspace, "k3s", "", func(cluster, _ object) {
		cluster["spec"].(object)["kubernetesVersion"] = "v1.28.4+k3s2"
	})
	w.provisioned(t, workspace, "bad", "aws", func(cluster, _ object) {
		cluster["spec"].(object)["rkeConfig"].(object)["machineSelectorConfig"] = "text"
	})
	w.provisioned(t, workspace, "custom", "", func(cluster, _ object) {
		rke := cluster["spec"].(object)["rkeConfig"].(object)
		delete(rke, "machinePools")
		rke["machineGlobalConfig"] = object{}
		rke["machineSelectorConfig"] = []any{object{"config": object{"cloud-provider-name": "aws"},
			"machineLabelSelector": object{"matchLabels": object{"rke.cattle.io/control-plane-role": "true"}}}}
	})
	w.at(t, workspace, "custom", position.P0)

	w.mirrored(t, "c-7kq2x", "old", "rancherKubernetesEngine", object{"rancherKubernetesEngineConfig": object{"kubernetesVersion": "v1.26.15-rancher1-1",
		"cloudProvider": object{"name": "aws", "awsCloudProvider": object{}}}, "clusterTemplateRevisionName": "cattle-global-data:ctr-1"})
	w.create(t, olderNodes, object{"apiVersion": "management.cattle.io/v3", "kind": "Node", "metadata": object{"namespace": "c-7kq2x", "name": "m-0"},
		"status": object{"rkeNode": object{"address": "10.0.0.10", "role": []any{"controlplane"}}}})
	w.leads("c-7kq2x", rkefixture.API(t), "v1.26.15")
	w.mirrored(t, "c-impor", "bought", "imported", object{})
	w.mirrored(t, "c-hoste", "eks-1", "EKS", object{})
	w.create(t, older, object{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": object{"name": "c-newly"}, // without its mirror yet
		"spec": object{"displayName": "new", "fleetWorkspaceName": workspace}, "status": object{"driver": "imported"}})
	w.create(t, older, object{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": object{"name": "local"}, "spec": object{"displayName": "local", "internal": true}, "status": object{"driver": "local"}})
	w.create(t, newer, object{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "metadata": object{"namespace": "fleet-local", "name": "local"}, "spec": object{}, "status": object{"clusterName": "local"}})
}
