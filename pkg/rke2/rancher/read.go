package rancher

import (
	"context"
	"fmt"
	"sort"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// clusterNameLabel holds the name of a Machine's cluster in Cluster API.
const clusterNameLabel = "cluster.x-k8s.io/cluster-name"

// Read reads Rancher's objects once. It returns an error if an object is unreadable without
// which a migration cannot be judged. Values that only a check needs hold their own error.
func (c Clients) Read(ctx context.Context, namespace, name string, now time.Time) (Facts, error) {
	facts := Facts{At: now}
	cluster, err := FindCluster(ctx, c.Management, namespace, name)
	if err != nil {
		return facts, err
	}
	if facts.Cluster, err = parseCluster(cluster); err != nil {
		return facts, err
	}
	if !facts.Cluster.HasRKEConfig {
		return facts, nil
	}
	if facts.ControlPlane, err = c.readControlPlane(ctx, namespace, name); err != nil {
		return facts, err
	}
	capi, err := c.servedCAPI(ctx)
	if err != nil {
		return facts, err
	}
	list := func(fromCache bool) (machineList, error) {
		return c.listMachines(ctx, capi, namespace, name, fromCache)
	}
	of := parents{facts.Cluster.ResourceVersion, facts.ControlPlane.ResourceVersion}
	if facts.Machines, err = c.Known.machines(of, now, c.FromCache, list); err != nil {
		return facts, err
	}
	facts.Rancher = c.ReadVersion(ctx)
	if facts.CAPIPaused, err = c.readCAPIPaused(ctx, capi, namespace, name); err != nil {
		return facts, err
	}
	facts.Beacon, err = c.readBeacon(ctx, namespace, name)
	return facts, err
}

func (c Clients) readControlPlane(ctx context.Context, namespace, name string) (ControlPlane, error) {
	object, err := c.ControlPlanes(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return ControlPlane{}, nil
	case err != nil:
		return ControlPlane{}, migration.CouldNotRead(fmt.Sprintf("RKEControlPlane %s/%s", namespace, name), err)
	}
	return parseControlPlane(object.Object), nil
}

// ReadMachines returns the Machines of one Cluster, sorted by name.
func (c Clients) ReadMachines(ctx context.Context, namespace, name string) ([]Machine, error) {
	capi, err := c.servedCAPI(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.listMachines(ctx, capi, namespace, name, c.FromCache)
	return list.machines, err
}

func (c Clients) listMachines(ctx context.Context, capi schema.GroupVersion, namespace, name string, fromCache bool) (machineList, error) {
	of := metav1.ListOptions{LabelSelector: clusterNameLabel + "=" + name}
	if fromCache {
		of.ResourceVersion = "0" // any version in the cache
	}
	list, err := c.Management.Resource(capi.WithResource("machines")).Namespace(namespace).List(ctx, of)
	if err != nil {
		return machineList{}, migration.CouldNotRead(fmt.Sprintf("Machines of Cluster %s/%s", namespace, name), err)
	}
	l := machineList{versions: make(map[string]string, len(list.Items)), machines: make([]Machine, 0, len(list.Items))}
	for i := range list.Items {
		machine := parseMachine(&list.Items[i])
		l.machines = append(l.machines, machine)
		l.versions[machine.UID] = list.Items[i].GetResourceVersion()
	}
	sort.Slice(l.machines, func(i, j int) bool { return l.machines[i].Name < l.machines[j].Name })
	return l, nil
}

// ReadVersion returns Rancher's version.
func (c Clients) ReadVersion(ctx context.Context) verify.Read[string] {
	setting, err := c.Management.Resource(settingsGVR).Get(ctx, "server-version", metav1.GetOptions{})
	if err != nil {
		return verify.Failed[string](migration.CouldNotRead("Setting server-version", err))
	}
	value, _, _ := unstructured.NestedString(setting.Object, "value")
	if value == "" {
		value, _, _ = unstructured.NestedString(setting.Object, "default")
	}
	return verify.Got(value)
}

func (c Clients) readCAPIPaused(ctx context.Context, capi schema.GroupVersion, namespace, name string) (bool, error) {
	object, err := c.Management.Resource(capi.WithResource("clusters")).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, migration.CouldNotRead(fmt.Sprintf("CAPI Cluster %s/%s", namespace, name), err)
	}
	paused, _, _ := unstructured.NestedBool(object.Object, "spec", "paused")
	return paused || object.GetAnnotations()[PausedAnnotation] == "true", nil
}

func parseCluster(object *unstructured.Unstructured) (Cluster, error) {
	cluster := Cluster{
		Namespace: object.GetNamespace(), Name: object.GetName(), UID: string(object.GetUID()), ResourceVersion: object.GetResourceVersion(),
		Generation: object.GetGeneration(), Deleting: object.GetDeletionTimestamp() != nil,
		Labels: object.GetLabels(), Annotations: object.GetAnnotations(), Managers: specManagers(object), LastWriter: migration.LastWriter(object),
	}
	cluster.ManagementID, _, _ = unstructured.NestedString(object.Object, "status", "clusterName")
	cluster.ObservedGeneration, _, _ = unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	rke, found, _ := unstructured.NestedMap(object.Object, "spec", "rkeConfig")
	cluster.HasRKEConfig = found && rke != nil
	if !cluster.HasRKEConfig {
		return cluster, nil
	}
	var err error
	if cluster.Spec, err = config.Parse(object.Object); err != nil {
		return cluster, fmt.Errorf("read Cluster %s/%s: %w", cluster.Namespace, cluster.Name, err)
	}
	return cluster, nil
}

// specManagers returns the field managers that wrote spec, newest last. They identify owners
// that could revert the configuration.
func specManagers(object *unstructured.Unstructured) []string {
	var managers []string
	for _, entry := range object.GetManagedFields() {
		if entry.Subresource == "" && entry.Manager != "" {
			managers = append(managers, entry.Manager)
		}
	}
	return managers
}

func parseControlPlane(object map[string]any) ControlPlane {
	u := unstructured.Unstructured{Object: object}
	annotations := u.GetAnnotations()
	plane := ControlPlane{
		Found: true, ResourceVersion: u.GetResourceVersion(), Generation: u.GetGeneration(), Conditions: conditionsOf(object),
		Paused: annotations[PausedAnnotation] == "true", PausedBy: annotations[PausedByAnnotation],
	}
	plane.Spec, _, _ = unstructured.NestedMap(object, "spec")
	plane.AppliedSpec, _, _ = unstructured.NestedMap(object, "status", "appliedSpec")
	plane.ObservedGeneration, _, _ = unstructured.NestedInt64(object, "status", "observedGeneration")
	plane.SnapshotGeneration, _, _ = unstructured.NestedInt64(object, "status", "etcdSnapshotCreate", "generation")
	plane.SnapshotPhase, _, _ = unstructured.NestedString(object, "status", "etcdSnapshotCreatePhase")
	plane.RestorePhase, _, _ = unstructured.NestedString(object, "status", "etcdSnapshotRestorePhase")
	plane.RotationPhase, _, _ = unstructured.NestedString(object, "status", "rotateEncryptionKeysPhase")
	return plane
}

func parseMachine(object *unstructured.Unstructured) Machine {
	machine := Machine{
		Machine:  config.Machine{Name: object.GetName(), UID: string(object.GetUID()), Labels: object.GetLabels()},
		Pool:     object.GetLabels()["rke.cattle.io/rke-machine-pool-name"],
		Deleting: object.GetDeletionTimestamp() != nil, Conditions: machineConditions(object.Object),
	}
	machine.NodeName, _, _ = unstructured.NestedString(object.Object, "status", "nodeRef", "name")
	machine.Infrastructure, _, _ = unstructured.NestedString(object.Object, "spec", "infrastructureRef", "name")
	machine.Phase, _, _ = unstructured.NestedString(object.Object, "status", "phase")
	return machine
}
