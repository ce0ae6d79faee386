package managed

import (
	"context"
	"fmt"
	"strings"

	"github.com/rancher/wrangler/v3/pkg/summary"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	gvr "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Rancher's resources that this package reads. It only patches Clusters. The namespace of a
// cluster's Nodes has the name of the cluster.
var (
	clusters = gvr.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"} //nolint:gochecknoglobals // a constant
	nodes    = gvr.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "nodes"}    //nolint:gochecknoglobals // a constant
)

// rkeConfigKey is the key of the configuration in spec and in appliedSpec
// (rancher/rancher:pkg/apis/management.cattle.io/v3/cluster_types.go@v2.8.5).
const rkeConfigKey = "rancherKubernetesEngineConfig"

// Cluster holds the fields of Rancher's Cluster and its Nodes that awsmigrate reads.
type Cluster struct {
	ID, DisplayName string
	UID             string
	ResourceVersion string         // version of the reading; precondition of every edit
	Driver          string         // status.driver
	Workspace       string         // namespace of the cluster in Fleet
	Internal        bool           // whether Rancher itself runs in the cluster
	Config          map[string]any // spec.rancherKubernetesEngineConfig, or nil
	Applied         map[string]any // the same key of status.appliedSpec
	Failed          map[string]any // the same key of status.failedSpec, or nil if Rancher did not fail
	Conditions      map[string]condition
	Template        string // RKE template revision of the configuration, or empty
	Provisioned     bool   // whether a provisioning.cattle.io Cluster owns it, as for RKE2
	Deleting        bool
	Nodes           []Node
	LastWriter      string // field manager of the last write to spec, or empty if unknown
	Version         string // status.version.gitVersion, the version of its API server
}

type condition struct{ Status, Message string }

// Node describes one of Rancher's Nodes.
type Node struct {
	Name, Address  string
	Role           []string
	PlanVersion    int64    // version of Rancher's plan for the Node
	AppliedVersion int64    // version of the plan that its agent has applied
	Kubelet        []string // the kubelet's command in that plan, or nil
}

// isWorkerOnly reports whether Rancher, not rke, updates the Node
// (rancher/rancher:pkg/controllers/management/rkeworkerupgrader/upgrade.go@v2.8.5).
func (n Node) isWorkerOnly() bool { return len(n.Role) == 1 && n.Role[0] == "worker" }

// isBehind reports whether the agent has not applied the newest plan. It is false for agents
// that never report a version, as older ones do not.
func (n Node) isBehind() bool {
	return n.PlanVersion > 0 && n.AppliedVersion > 0 && n.AppliedVersion != n.PlanVersion
}

// provider returns the kubelet's cloud provider in the plan, or empty.
func (n Node) provider() string {
	for _, word := range n.Kubelet {
		if name, ok := strings.CutPrefix(word, "--cloud-provider="); ok {
			return name
		}
	}
	return ""
}

func (c Cluster) object() string {
	return fmt.Sprintf("Cluster %s (%s)", c.ID, c.DisplayName)
}

func parseCluster(o *unstructured.Unstructured) Cluster {
	text := func(path ...string) string { s, _, _ := unstructured.NestedString(o.Object, path...); return s }
	tree := func(path ...string) map[string]any { m, _, _ := unstructured.NestedMap(o.Object, path...); return m }
	c := Cluster{
		ID: o.GetName(), UID: string(o.GetUID()), ResourceVersion: o.GetResourceVersion(), DisplayName: migration.OrElse(text("spec", "displayName"), o.GetName()), Driver: text("status", "driver"),
		Config: tree("spec", rkeConfigKey), Applied: tree("status", "appliedSpec", rkeConfigKey), Failed: tree("status", "failedSpec", rkeConfigKey),
		Version:  text("status", "version", "gitVersion"),
		Template: text("spec", "clusterTemplateRevisionName"), Workspace: text("spec", "fleetWorkspaceName"), Deleting: o.GetDeletionTimestamp() != nil, LastWriter: migration.LastWriter(o), Conditions: map[string]condition{},
	}
	c.Internal, _, _ = unstructured.NestedBool(o.Object, "spec", "internal")
	for key := range o.GetAnnotations() {
		c.Provisioned = c.Provisioned || strings.HasPrefix(key, "provisioning.cattle.io/")
	}
	for _, one := range summary.GetUnstructuredConditions(o.Object) {
		c.Conditions[one.Type()] = condition{Status: one.Status(), Message: one.Message()}
	}
	return c
}

func parseNode(o *unstructured.Unstructured) Node {
	n := Node{Name: o.GetName()}
	n.Address, _, _ = unstructured.NestedString(o.Object, "status", "rkeNode", "address")
	n.Role, _, _ = unstructured.NestedStringSlice(o.Object, "status", "rkeNode", "role")
	n.PlanVersion, _, _ = unstructured.NestedInt64(o.Object, "status", "nodePlan", "version")
	n.AppliedVersion, _, _ = unstructured.NestedInt64(o.Object, "status", "appliedNodeVersion")
	for _, key := range []string{"command", "args"} {
		words, _, _ := unstructured.NestedStringSlice(o.Object, "status", "nodePlan", "plan", "processes", "kubelet", key)
		n.Kubelet = append(n.Kubelet, words...)
	}
	return n
}

// Read implements migration.Backend.
func (b *Backend) Read(ctx context.Context, _ journal.Record) (migration.Config, error) {
	return b.read(ctx)
}

func (b *Backend) read(ctx context.Context) (observed, error) {
	out := observed{}
	object := "Cluster " + b.id
	o, err := b.deps.Management.Resource(clusters).Get(ctx, b.id, metav1.GetOptions{})
	if err != nil {
		return out, migration.CouldNotRead(object, err)
	}
	c := parseCluster(o)
	list, err := b.deps.Management.Resource(nodes).Namespace(c.ID).List(ctx, metav1.ListOptions{})
	if err != nil {
		return out, migration.CouldNotRead("Nodes of "+object, err)
	}
	for i := range list.Items {
		c.Nodes = append(c.Nodes, parseNode(&list.Items[i]))
	}
	state, err := rkestate.Read(ctx, b.Access.Kube)
	if err != nil {
		return out, err
	}
	file, err := fileOf(c)
	if err != nil {
		return out, err
	}
	out.cluster = c
	out.Facts = rkestate.Facts{File: file, Config: file.Config(), State: state, PinnedVolumes: b.PinnedVolumes(ctx),
		Registries: configtree.Registries(c.object(), "privateRegistries", "isDefault", c.Config)}
	return out, ctx.Err()
}

// Combine implements migration.Config.
func (o observed) Combine(down downstream.Cluster) migration.Reading {
	r := rke.ReadingOf(o.Facts, down, "")
	r.Object, r.ObjectUID, r.Pending = o.cluster.object(), o.cluster.UID, o.cluster.pendingConditions(o.Facts)
	r.Owners, r.Recorded = o.cluster.Owners(), len(r.Pending) > 0
	r.Places, r.Roller = o.places(), migration.ByRancher()
	r.Snapshot = runner.State{Kind: runner.Skipped, Reason: "Rancher takes the snapshots of this cluster"}
	if err := checkSupported(o.cluster); err != nil {
		r.Unsupported = err
	}
	for i := range r.Members {
		member := &r.Members[i]
		if member.Kubelet != migration.KubeletExternal {
			continue
		}
		if why := o.cluster.missingFromPlan(addressOf(o.State.Current.Config, member.Nodes, down)); why != "" {
			member.Kubelet, member.Why = migration.KubeletUnknown, why
		}
	}
	return r
}

// addressOf returns the address of the host with the first of the named Nodes, or empty.
func addressOf(c rkestate.Config, nodes []string, down downstream.Cluster) string {
	for _, host := range c.Nodes {
		if node := rke.NodeOf(host, down.Nodes); node != nil && len(nodes) > 0 && node.Name == nodes[0] {
			return host.Address
		}
	}
	return ""
}
