package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/managed"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// ManagedID is Rancher's ID of the lab's RKE1 cluster.
const ManagedID = "c-7kq2x"

// managedFile is the path that Rancher uses for a cluster's files; no user edits it.
func (f Files) managedFile() string { return f.in("rancher", "cluster.yml") }

// createManaged creates the machines, registers them as Nodes of a Cluster, and lets Rancher's
// stand-in bring them up.
func (l *Lab) createManaged(ctx context.Context, parts *errgroup.Group) error {
	if err := ensureNamespace(ctx, l.mgmt, ManagedID); err != nil {
		return err
	}
	if err := ensureUsers(ctx, l.mgmt, managementViewer()); err != nil {
		return err
	}
	if err := l.provisionRKE(ctx); err != nil {
		return err
	}
	if err := l.waitReachable(ctx); err != nil {
		return err
	}
	object, err := managedObject(l.options)
	if err != nil {
		return err
	}
	for _, m := range l.machines.list() {
		if err := l.registerNode(ctx, m); err != nil {
			return err
		}
	}
	if _, err := l.mgmtObjects.Resource(managed.Clusters()).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating Cluster %s: %w", ManagedID, err)
	}
	l.rancher.Adopt(ctx, ManagedID)
	if err := os.MkdirAll(l.files.in("rancher"), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(l.files.Log("rke"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	controller := &managed.Controller{ID: ManagedID, Management: l.mgmtObjects, Clock: clock.RealClock{}, Log: l.log,
		Engine: func(planes rke.Planes) *rke.Engine { return l.managedEngine(out, planes) }}
	parts.Go(func() error {
		defer out.Close()
		return controller.Run(ctx)
	})
	parts.Go(func() error { return l.settle(ctx) })
	return nil
}

// managedEngine returns rke within Rancher, with the same pauses at boot as in use.
func (l *Lab) managedEngine(out *os.File, planes rke.Planes) *rke.Engine {
	engine := l.engine(l.files.managedFile(), out)
	engine.Planes = planes
	engine.Kube = func() (kubernetes.Interface, error) { return l.down, nil }
	return engine
}

// registerNode does what the registration of a machine does: it creates a Node of Rancher,
// under the machine's host name.
func (l *Lab) registerNode(ctx context.Context, m *machine) error {
	override, _ := hostNames(l.options, m.Name, m.Name, m.Facts.PrivateDNSName)
	if l.options.HostnameOverride != "" {
		override = insertNames(l.options.HostnameOverride, m.Name, m.Facts.PrivateDNSName)
	}
	name := "m-" + m.Name
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Node",
		"metadata": map[string]any{"namespace": ManagedID, "name": name},
		"spec":     map[string]any{"controlPlane": m.ControlPlane, "etcd": m.Etcd, "worker": m.Worker, "requestedHostname": override},
	}}
	nodes := l.mgmtObjects.Resource(managed.Nodes()).Namespace(ManagedID)
	made, err := nodes.Create(ctx, o, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("registering %s: %w", name, err)
	}
	roles := []any{}
	for _, role := range rolesOf(m.Machine) {
		roles = append(roles, role)
	}
	made.Object["status"] = map[string]any{"nodeName": m.Facts.PrivateDNSName, "rkeNode": map[string]any{
		"nodeName": ManagedID + ":" + name, "address": m.Facts.IP, "internalAddress": m.Facts.PrivateIP, "hostnameOverride": override,
		"user": "root", "port": "22", "role": roles}}
	_, err = nodes.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	return err
}

// managedObject returns the Cluster as Rancher's UI leaves it, with norman's defaults and every
// structure without omitempty, and the options' patch merged over it.
func managedObject(o Options) (*unstructured.Unstructured, error) {
	provider := map[string]any{"name": "aws", "useInstanceMetadataHostname": false}
	if o.AWSBlock {
		provider["awsCloudProvider"] = map[string]any{}
	}
	config := map[string]any{
		"addonJobTimeout": 45, "authentication": map[string]any{"strategy": "x509"}, "authorization": map[string]any{},
		"bastionHost": map[string]any{}, "cloudProvider": provider, "enableCriDockerd": true, "ignoreDockerVersion": true,
		"ingress": map[string]any{"provider": "none"}, "kubernetesVersion": o.Version, "monitoring": map[string]any{"provider": "none"},
		"network": map[string]any{"plugin": "canal", "options": map[string]any{"flannel_backend_type": "vxlan"}},
		"restore": map[string]any{}, "rotateEncryptionKey": false, "sshAgentAuth": false, "systemImages": map[string]any{},
		"services": map[string]any{
			"etcd":           map[string]any{"creation": "12h", "retention": "72h", "snapshot": false, "extraArgs": map[string]any{"election-timeout": "5000", "heartbeat-interval": "500"}},
			"kubeApi":        map[string]any{"alwaysPullImages": false, "serviceNodePortRange": "30000-32767"},
			"kubeController": map[string]any{}, "kubelet": map[string]any{}, "kubeproxy": map[string]any{}, "scheduler": map[string]any{},
		},
		"upgradeStrategy": map[string]any{"drain": false, "maxUnavailableControlplane": "1", "maxUnavailableWorker": "10%"},
	}
	raw, err := json.Marshal(map[string]any{
		"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": ManagedID},
		"spec": map[string]any{"displayName": ClusterName, "dockerRootDir": "/var/lib/docker", "enableNetworkPolicy": false,
			"fleetWorkspaceName": ClusterNamespace, "internal": false, "rancherKubernetesEngineConfig": config},
	})
	if err != nil {
		return nil, err
	}
	if raw, err = mergePatch(raw, o.ClusterPatch); err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{}
	return out, out.UnmarshalJSON(raw)
}

// managedReady reports whether Rancher has applied the Cluster's spec everywhere.
func (l *Lab) managedReady(ctx context.Context) (bool, string, error) {
	object, err := l.mgmtObjects.Resource(managed.Clusters()).Get(ctx, ManagedID, metav1.GetOptions{})
	if err != nil {
		return false, "", err
	}
	for _, kind := range []string{"Updated", "Ready"} {
		if status, message := condition(object, kind); status != "True" {
			return false, fmt.Sprintf("condition %s is %q: %s", kind, status, message), nil
		}
	}
	if status, message := condition(object, "Upgraded"); status == "Unknown" {
		return false, "workers: " + message, nil
	}
	spec, _, _ := unstructured.NestedMap(object.Object, "spec", "rancherKubernetesEngineConfig")
	applied, _, _ := unstructured.NestedMap(object.Object, "status", "appliedSpec", "rancherKubernetesEngineConfig")
	delete(applied, "nodes")
	delete(spec, "nodes")
	return equalJSON(spec, applied), "appliedSpec", nil
}

func (l *Lab) waitManaged(ctx context.Context) error {
	return poll(ctx, 250*time.Millisecond, "Cluster "+ManagedID, l.managedReady)
}

func rolesOf(m rancher.Machine) []string {
	var out []string
	for _, role := range []struct {
		name string
		has  bool
	}{{"controlplane", m.ControlPlane}, {"etcd", m.Etcd}, {"worker", m.Worker}} {
		if role.has {
			out = append(out, role.name)
		}
	}
	return out
}

// managedConfig returns the configuration as rke would get it, for validation.
func managedConfig(o Options) (rke.Config, error) {
	object, err := managedObject(o)
	if err != nil {
		return rke.Config{}, err
	}
	var config rke.Config
	part, _, err := unstructured.NestedMap(object.Object, "spec", "rancherKubernetesEngineConfig")
	if err != nil {
		return config, err
	}
	raw, err := json.Marshal(part)
	if err != nil {
		return config, err
	}
	err = json.Unmarshal(raw, &config)
	config.Nodes = []rke.Node{{Address: "127.2.1.10", User: "root", Role: []string{"controlplane", "etcd", "worker"}}}
	return config, err
}
