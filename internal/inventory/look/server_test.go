package look

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
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

// world is a Rancher's API server, a real one, behind Rancher's proxy, and the clusters
// that the proxy leads to. What it leaves out: Rancher itself, so that its objects stay as
// they were made; the rules of its kinds; who may use the proxy. Each cluster is client-go's
// fake clientset, without rights and without anything that changes by itself but leases.
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

// rancher is the way through the proxy, as a member of groups.
func (w *world) rancher(namespace string, groups ...string) Rancher {
	config := &rest.Config{Host: w.proxy.URL + "/k8s/clusters/local"}
	if len(groups) > 0 {
		config.Impersonate = rest.ImpersonationConfig{UserName: "somebody", Groups: groups}
	}
	return Rancher{Server: session.Server{Config: config}, RequestTimeout: 30 * time.Second, Namespace: namespace}
}

// define serves a kind of which nothing is checked.
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

// provisioned is a cluster that Rancher provisions, as its objects say it; change changes
// the Cluster and its copy.
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

// at has the proxy lead to a cluster at a position, whose Nodes are those of Rancher's
// Machines.
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

// mirrored is a cluster of the older kind with its mirror.
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

// fill makes a cluster of every kind and in every state.
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

// lines are the rows in a few words each: what is asserted of a fleet.
func lines(fleet inventory.Fleet) []string {
	var all []string
	for _, r := range fleet.Rows {
		line := fmt.Sprintf("%s/%s %s %s %s at %s: %s", r.Namespace, r.Name, r.Distribution, dash(r.Release()), dash(r.Provider), dash(r.Position), r.State)
		for _, owner := range r.Owners {
			line += " by " + owner.Name
		}
		for _, stop := range r.Stops {
			line += " ! " + stop.Reason
		}
		if r.Step != "" {
			line += " → " + string(r.Step)
		}
		if r.Migration != nil {
			line += " = " + r.Migration.Goal + " " + r.Migration.State
		}
		all = append(all, line)
	}
	return all
}

func dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func (w *world) list(t *testing.T, from Rancher) inventory.Fleet {
	t.Helper()
	fleet, err := from.Fleet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fleet
}

func (w *world) reached() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := slices.Sorted(maps.Keys(w.asked))
	w.asked = map[string]int{}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "local" })
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwanted\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var wantedRows = []string{
	"fleet-default/away RKE2 v1.26.15 aws at unknown: unknown ! Unreachable",
	"fleet-default/bad RKE2 – – at –: stopped ! BadField",
	"fleet-default/braked RKE2 v1.26.15 aws at P2: stopped ! PausedByRun → cordon",
	"fleet-default/c-7kq2x RKE v1.26.15 aws at P0: not-begun by RKE template → lease-access",
	"fleet-default/c-hoste EKS v1.27.9 – at –: none",
	"fleet-default/c-impor imported v1.27.9 – at –: none",
	"fleet-default/c-newly imported – – at –: none",
	"fleet-default/custom RKE2 v1.26.15 aws at P0: not-begun → etcd-snapshot",
	"fleet-default/finished RKE2 v1.26.15 external at P5: done",
	"fleet-default/foreign RKE2 v1.26.15 external at –: none",
	"fleet-default/half RKE2 v1.26.15 aws at P2: begun → cordon",
	"fleet-default/k3s K3s v1.28.4 – at –: none",
	"fleet-default/locked RKE2 v1.26.15 aws at P1: locked ! LockHeld → etcd-snapshot",
	"fleet-default/mistaken RKE2 v1.26.15 aws at unknown: unknown ! WrongTarget",
	"fleet-default/untouched RKE2 v1.26.15 aws at P0: not-begun by Fleet → etcd-snapshot",
	"fleet-default/vsphere RKE2 v1.26.15 rancher-vsphere at –: none",
	"fleet-local/local local – – at –: none",
	"team/open RKE2 v1.26.15 aws at P2: stopped ! LeftOpen → cordon",
}

func TestFleetOnAnAPIServer(t *testing.T) {
	w := newWorld(t)
	t.Run("NoRancher", func(t *testing.T) {
		if _, err := w.rancher("").Fleet(t.Context()); fault.ClassOf(err) != fault.Usage || !fault.HasReason(err, migration.ReasonNotRancher) {
			t.Errorf("%v", err)
		}
	})
	w.fill(t)
	t.Run("All", w.all)
	t.Run("NotReached", w.notReached)
	t.Run("Namespace", w.namespace)
	t.Run("Rights", w.rights)
	t.Run("AtOnce", w.atOnce)
	t.Run("Migrations", w.wanted)
}

// Every cluster has its row, only those on their way are asked, and nothing is written.
func (w *world) all(t *testing.T) {
	w.reached()
	fleet := w.list(t, w.rancher(""))
	same(t, "rows", lines(fleet), wantedRows)
	if fleet.Rancher != "v2.8.5" || len(fleet.Unread) != 0 || fleet.Unlooked() != 2 {
		t.Errorf("%s, %v, %d not looked at", fleet.Rancher, fleet.Unread, fleet.Unlooked())
	}
	same(t, "asked", w.reached(), []string{"c-7kq2x", "c-m-away", "c-m-braked", "c-m-custom", "c-m-finished", "c-m-half", "c-m-locked", "c-m-mistaken", "c-m-open", "c-m-untouched"})
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.writes) > 0 {
		t.Errorf("it wrote: %v", w.writes)
	}
	for _, row := range fleet.Rows {
		if row.Name == "c-7kq2x" && row.DisplayName != "old" || row.Name == "locked" && row.Stops[0].Seen != "lock held by alice@host, run run-2" {
			t.Errorf("%+v", row)
		}
	}
}

// Without a look at clusters none is asked, and what Rancher's server has is the same.
func (w *world) notReached(t *testing.T) {
	from := w.rancher("")
	from.NoReach = true
	fleet := w.list(t, from)
	same(t, "asked", w.reached(), nil)
	states := map[inventory.State]int{}
	for _, row := range fleet.Rows {
		if states[row.State]++; row.Position != "" && row.State != inventory.Stopped {
			t.Errorf("a position of nowhere: %+v", row)
		}
	}
	want := map[inventory.State]int{inventory.None: 7, inventory.NotAsked: 7, inventory.Locked: 1, inventory.Stopped: 3}
	if !maps.Equal(states, want) {
		t.Errorf("%v, wanted %v", states, want)
	}
}

func (w *world) namespace(t *testing.T) {
	same(t, "rows", lines(w.list(t, w.rancher("team"))), wantedRows[len(wantedRows)-1:])
}

// The role in the documentation suffices; who may not list the older kind of Clusters is
// told which of the others are unknown.
func (w *world) rights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clusterrole-readonly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rbac := map[string]schema.GroupVersionResource{}
	for _, kind := range []string{"ClusterRole", "ClusterRoleBinding"} {
		rbac[kind] = gvr("rbac.authorization.k8s.io", "v1", strings.ToLower(kind)+"s")
	}
	made := 0
	for _, document := range strings.Split(string(text), "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatal(err)
		}
		if o["metadata"].(object)["name"] != "awsmigrate-audit-rancher" {
			continue // of the cluster that is audited
		}
		made++
		w.create(t, rbac[o["kind"].(string)], o)
		if o["kind"] == "ClusterRole" { // a copy for others, without the older Clusters and what is ours
			o["rules"] = slices.DeleteFunc(o["rules"].([]any), func(rule any) bool { return rule.(object)["apiGroups"].([]any)[0] == migrations.Group })
			for _, rule := range o["rules"].([]any) {
				if resources := rule.(object)["resources"].([]any); rule.(object)["apiGroups"].([]any)[0] == older.Group {
					rule.(object)["resources"] = slices.DeleteFunc(resources, func(r any) bool { return r == older.Resource })
				}
			}
		} else {
			o["roleRef"].(object)["name"] = "fewer"
			o["subjects"].([]any)[0].(object)["name"] = "fewer"
		}
		o["metadata"] = object{"name": "fewer"}
		w.create(t, rbac[o["kind"].(string)], o)
	}
	if made != 2 {
		t.Fatalf("%d objects for the cluster Rancher runs in", made)
	}
	apiserver.Eventually(t, func() bool { // a binding is in force a moment later
		fleet, err := w.rancher("team", "awsmigrate-audit").Fleet(t.Context())
		return err == nil && len(fleet.Unread) == 0
	})
	same(t, "rows", lines(w.list(t, w.rancher("", "awsmigrate-audit"))), wantedRows)
	fleet := w.list(t, w.rancher("", "fewer"))
	if len(fleet.Unread) != 1 || fleet.Unread[0].Reason != fault.ReasonForbidden {
		t.Errorf("not read: %+v", fleet.Unread)
	}
	unknown := 0
	for _, row := range fleet.Rows {
		if row.Distribution == inventory.NotKnown && row.State == inventory.Unknown {
			unknown++
		}
	}
	if unknown != 4 || len(fleet.Rows) != len(wantedRows)-1 { // c-newly has no other object
		t.Errorf("%d unknown of %d: %s", unknown, len(fleet.Rows), strings.Join(lines(fleet), "\n"))
	}
	if _, err := w.rancher("", "nobody").Fleet(t.Context()); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("without rights: %v", err)
	}
}

// waiting does not answer before as many clusters as may be are asked, and keeps how many
// were asked at most.
type waiting struct {
	inFlight, most atomic.Int32
	full           chan struct{}
	once           sync.Once
}

func (b *waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	n := b.inFlight.Add(1)
	defer b.inFlight.Add(-1)
	for most := b.most.Load(); n > most && !b.most.CompareAndSwap(most, n); most = b.most.Load() {
	}
	if n == atOnce {
		b.once.Do(func() { close(b.full) })
	}
	select {
	case <-b.full:
	case <-r.Context().Done():
	}
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody, Request: r}, nil
}

// Clusters are asked together, and not more of them than is bearable.
func (w *world) atOnce(t *testing.T) {
	b := &waiting{full: make(chan struct{})}
	for i := range 3 * atOnce {
		name := fmt.Sprintf("n%d", i)
		w.provisioned(t, "many", name, "aws", nil)
		w.machine(t, "many", name, "cp-0", "control-plane")
		w.mu.Lock()
		w.clusters["c-m-"+name] = b
		w.mu.Unlock()
	}
	fleet := w.list(t, w.rancher("many"))
	if got := b.most.Load(); got != atOnce || fleet.Unlooked() != 3*atOnce {
		t.Errorf("%d at once, wanted %d; %d could not be looked at", got, atOnce, fleet.Unlooked())
	}
}

// Where ClusterMigrations are served, goal and state are shown, and what nobody has begun
// is asked because somebody wants it.
func (w *world) wanted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "charts", "awsmigrate-crd", "templates", "awsmigrate.io_clustermigrations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var crd object
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	w.create(t, definitions, crd)
	w.served(t, migrations)
	made := w.create(t, migrations, object{"apiVersion": "awsmigrate.io/v1alpha1", "kind": "ClusterMigration", "metadata": object{"namespace": "team", "name": "open"},
		"spec": object{"goal": "Migrate", "edits": "Apply"}})
	made.Object["status"] = object{"display": object{"state": "Awaiting-Approval", "transitioning": false, "error": false, "message": "set it"}}
	if _, err := w.api.Resource(migrations).Namespace("team").UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	from := w.rancher("team")
	same(t, "rows", lines(w.list(t, from)), []string{wantedRows[len(wantedRows)-1] + " = Migrate Awaiting-Approval"})
	fleet := w.list(t, w.rancher("team", "fewer"))
	if len(fleet.Unread) != 2 || fleet.Unread[1].Object != "ClusterMigrations" {
		t.Errorf("who may not read them: %+v", fleet.Unread)
	}
}
