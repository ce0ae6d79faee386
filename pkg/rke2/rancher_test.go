package rke2

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

type object = map[string]any

// rancherObjects are those of a cluster with one control plane, cp, and one worker, w, on
// which nothing moves, each by its resource.
func rancherObjects() map[string]object {
	rke := object{"machineGlobalConfig": object{config.KeyProvider: "aws"}, "machineSelectorConfig": []any{object{"config": object{"protect-kernel-defaults": false}}},
		"etcdSnapshotCreate": object{"generation": int64(2)},
		"machinePools":       []any{object{"name": "cp", "quantity": int64(1), "controlPlaneRole": true, "etcdRole": true}, object{"name": "w", "quantity": int64(1), "workerRole": true}}}
	copied := runtime.DeepCopyJSON(rke)
	copied["kubernetesVersion"] = "v1.26.13+rke2r1"
	ready := []any{object{"type": "Ready", "status": "True"}, object{"type": "Reconciled", "status": "True"}}
	machine := func(name, role string) object {
		return object{"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "metadata": object{"namespace": "fleet-default", "name": name, "uid": "uid-" + name,
			"labels": object{clusterNameLabel: "demo", "rke.cattle.io/rke-machine-pool-name": name, role: "true", config.LabelEtcd: "true"}},
			"status": object{"phase": "Running", "nodeRef": object{"name": "node-" + name}, "conditions": []any{object{"type": "PlanApplied", "status": "True"}, object{"type": "Reconciled", "status": "True"}}}}
	}
	return map[string]object{
		"cluster": {"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "metadata": object{"namespace": "fleet-default", "name": "demo", "uid": "uid-demo", "resourceVersion": "7", "generation": int64(3)},
			"spec": object{"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": rke}, "status": object{"clusterName": "c-m-1", "observedGeneration": int64(3)}},
		"plane": {"apiVersion": "rke.cattle.io/v1", "kind": "RKEControlPlane", "metadata": object{"namespace": "fleet-default", "name": "demo", "generation": int64(4)},
			"spec": copied, "status": object{"appliedSpec": runtime.DeepCopyJSON(copied), "observedGeneration": int64(4), "etcdSnapshotCreate": object{"generation": int64(2)}, "conditions": ready}},
		"cp": machine("cp", config.LabelControlPlane), "w": machine("w", config.LabelWorker),
		"other":   {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "metadata": object{"namespace": "fleet-default", "name": "a-strange", "labels": object{clusterNameLabel: "other"}}},
		"capi":    {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": object{"namespace": "fleet-default", "name": "demo"}, "spec": object{}},
		"setting": {"apiVersion": "management.cattle.io/v3", "kind": "Setting", "metadata": object{"name": "server-version"}, "value": "v2.8.5", "default": "v2.8.0"},
	}
}

// wholeRancher serves them. What it leaves out: rights, versions of objects but those that
// they come with, and Rancher itself.
func wholeRancher(t *testing.T, change func(map[string]object)) *dynamicfake.FakeDynamicClient {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{controlPlanesGVR: "RKEControlPlaneList", clustersGVR: "ClusterList",
		machinesGVR: "MachineList", capiClustersGVR: "ClusterList", settingsGVR: "SettingList"})
	all := rancherObjects()
	if change != nil {
		change(all)
	}
	resources := map[string]schema.GroupVersionResource{"cluster": clustersGVR, "plane": controlPlanesGVR, "capi": capiClustersGVR, "setting": settingsGVR}
	for name, o := range all {
		resource, ok := resources[name]
		if !ok {
			resource = machinesGVR
		}
		u := &unstructured.Unstructured{Object: o}
		if err := client.Tracker().Create(resource, u, u.GetNamespace()); err != nil {
			t.Fatal(err)
		}
	}
	return client
}

// down is the cluster itself: a Node for each Machine, and the control plane's pod.
func down() *fake.Clientset {
	node := func(name, machine string, labels map[string]string) *corev1.Node {
		labels[machineLabel], labels["kubernetes.io/hostname"] = machine, name
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "n", Labels: labels, Annotations: map[string]string{config.NodeArgsAnnotation: `["server"]`}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
	}
	client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wellknown.System, UID: "the-cluster"}},
		node("node-cp", "uid-cp", map[string]string{planeLabel: "true"}), node("node-w", "uid-w", map[string]string{}),
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "kube-controller-manager-node-cp", Labels: map[string]string{"component": wellknown.KCM, "tier": "control-plane"},
			Annotations: map[string]string{"kubernetes.io/config.mirror": "x", "kubernetes.io/config.hash": "h"}},
			Spec: corev1.PodSpec{NodeName: "node-cp", Containers: []corev1.Container{{Name: wellknown.KCM, Args: []string{"--cloud-provider=aws"}}}}})
	client.PrependReactor("create", "subjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.CreateAction).GetObject(), nil // which allows nothing
	})
	return client
}

// opened is a migration, and its backend.
type opened struct {
	*Backend
	migration *procedure.Migration
}

// migrating is a migration of that cluster, and what it writes to.
func migrating(t *testing.T, options Options, change func(map[string]object)) (opened, *dynamicfake.FakeDynamicClient) {
	t.Helper()
	client, cluster := wholeRancher(t, change), down()
	options.Namespace, options.Name, options.RunID = "fleet-default", "demo", "run-2"
	if options.InstallMethod == "" {
		options.InstallMethod = InstallHelm
	}
	m, err := New(t.Context(), Clients{Management: client, ManagementKube: fake.NewClientset(), Downstream: cluster, DownstreamConfig: restfake.Config(cluster, "v1.26.13+rke2r1")}, options, clocktesting.NewFakeClock(time.Unix(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	return opened{m.Backend.(*Backend), m}, client
}

// snapshotStep is the step that takes an etcd snapshot.
func (p opened) snapshotStep(t *testing.T) migration.Step {
	t.Helper()
	steps := p.migration.Steps()
	i := slices.IndexFunc(steps, func(s migration.Step) bool { return s.Info().ID == StepSnapshot })
	if i < 0 {
		t.Fatal("there is no step for a snapshot")
	}
	return steps[i]
}

func (p opened) look(t *testing.T, record journal.Record) migration.Snapshot {
	t.Helper()
	seen, err := p.migration.Observe(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// What is read of Rancher's objects, and which of them a migration cannot do without.
func TestReadOfRancher(t *testing.T) {
	set := func(value any, path ...string) func(map[string]object) {
		return func(all map[string]object) {
			if err := unstructured.SetNestedField(all[path[0]], value, path[1:]...); err != nil {
				t.Fatal(err)
			}
		}
	}
	gone := func(name string) func(map[string]object) { return func(all map[string]object) { delete(all, name) } }
	for name, tt := range map[string]struct {
		change func(map[string]object)
		differ func(*Facts)
	}{
		"as it is":                 {nil, func(*Facts) {}},
		"no control plane yet":     {gone("plane"), func(f *Facts) { f.ControlPlane = ControlPlane{} }},
		"no CAPI Cluster":          {gone("capi"), func(*Facts) {}},
		"CAPI paused":              {set(true, "capi", "spec", "paused"), func(f *Facts) { f.CAPIPaused = true }},
		"CAPI paused by a mark":    {set("true", "capi", "metadata", "annotations", pausedAnnotation), func(f *Facts) { f.CAPIPaused = true }},
		"a mark that says no":      {set("false", "capi", "metadata", "annotations", pausedAnnotation), func(*Facts) {}},
		"Rancher's default":        {set("", "setting", "value"), func(f *Facts) { f.Rancher.Value = "v2.8.0" }},
		"paused":                   {set("true", "plane", "metadata", "annotations", pausedAnnotation), func(f *Facts) { f.ControlPlane.Paused = true }},
		"a mark of nobody's pause": {set("no", "plane", "metadata", "annotations", pausedAnnotation), func(*Facts) {}},
		"a Machine is deleted":     {set("2026-11-22T10:00:00Z", "w", "metadata", "deletionTimestamp"), func(f *Facts) { f.Machines[1].Deleting = true }},
		"the Cluster is":           {set("2026-11-22T10:00:00Z", "cluster", "metadata", "deletionTimestamp"), func(f *Facts) { f.Cluster.Deleting = true }},
		"a Machine without a Node": {set(object{"phase": "Provisioning"}, "w", "status"), func(f *Facts) {
			f.Machines[1].NodeName, f.Machines[1].Phase, f.Machines[1].Conditions = "", "Provisioning", Conditions{}
		}},
	} {
		want, err := (Clients{Management: wholeRancher(t, nil)}).Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		tt.differ(&want)
		got, err := Clients{Management: wholeRancher(t, tt.change)}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if d := cmp.Diff(want.ControlPlane, got.ControlPlane) + cmp.Diff(want.Machines, got.Machines) + cmp.Diff(want.Rancher, got.Rancher); err != nil || d != "" || got.CAPIPaused != want.CAPIPaused || got.Cluster.Deleting != want.Cluster.Deleting {
			t.Errorf("%s: %v %s", name, err, d)
		}
	}
	f, err := Clients{Management: wholeRancher(t, nil)}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
	c, p, m := f.Cluster, f.ControlPlane, f.Machines
	if err != nil || c.UID != "uid-demo" || c.ResourceVersion != "7" || c.ManagementID != "c-m-1" || c.Generation != 3 || c.ObservedGeneration != 3 || !c.HasRKEConfig || c.Spec.KubernetesVersion != "v1.26.13+rke2r1" {
		t.Errorf("%v %+v", err, c)
	}
	if !p.Found || p.Generation != 4 || p.ObservedGeneration != 4 || p.SnapshotGeneration != 2 || !p.Conditions.True("Ready") || p.Conditions.True("Paused") || len(p.AppliedSpec) != len(p.Spec) || len(p.Spec) == 0 {
		t.Errorf("%+v", p)
	}
	if len(m) != 2 || m[0].Name != "cp" || m[0].NodeName != "node-cp" || m[0].Pool != "cp" || !m[0].ControlPlane() || !m[1].Worker() || m[1].UID != "uid-w" || !f.At.Equal(time.Unix(1, 0)) {
		t.Errorf("%+v", m)
	}
	f, err = Clients{Management: wholeRancher(t, set(object{}, "cluster", "spec"))}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
	if err != nil || f.Cluster.HasRKEConfig || Supported(f) == nil {
		t.Errorf("a cluster that Rancher did not make: %v %+v", err, f.Cluster)
	}
	for resource, object := range map[string]string{"rkecontrolplanes": "RKEControlPlane fleet-default/demo", "machines": "Machines of Cluster fleet-default/demo", "clusters": "Cluster fleet-default/demo", "settings": ""} {
		client := wholeRancher(t, nil)
		client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", nil)
		})
		f, err := Clients{Management: client}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if g, ok := fault.As(err); ok != (object != "") || ok && (g.Object != object || g.Reason != fault.ReasonForbidden) || !ok && f.Rancher.OK() {
			t.Errorf("%s: %v", resource, err)
		}
	}
	client := wholeRancher(t, nil)
	client.PrependReactor("get", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.GetResource() == capiClustersGVR, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	})
	if _, err := (Clients{Management: client}).Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0)); err == nil {
		t.Error("whether Cluster API pauses it is not known, and nobody says so")
	}
}

// A migration begins only of the cluster that Rancher's object describes.
func TestNewProvesItsCluster(t *testing.T) {
	away := errors.New("away")
	for name, tt := range map[string]struct {
		objects func(map[string]object)
		cluster func(*fake.Clientset)
		reason  string
	}{
		"it is":                 {nil, func(*fake.Clientset) {}, ""},
		"another cluster":       {func(all map[string]object) { delete(all, "cp"); all["w"]["metadata"].(object)["uid"] = "another" }, func(*fake.Clientset) {}, "WrongTarget"},
		"no such Cluster":       {func(all map[string]object) { all["cluster"]["metadata"].(object)["name"] = "demo-2" }, func(*fake.Clientset) {}, migration.ReasonClusterNotFound},
		"not Rancher's own":     {func(all map[string]object) { all["cluster"]["spec"] = object{} }, func(*fake.Clientset) {}, "NotProvisioned"},
		"it has no identity":    {nil, func(c *fake.Clientset) { refuse(c, "namespaces", away) }, "Unreachable"},
		"it cannot be observed": {nil, func(c *fake.Clientset) { refuse(c, "nodes", away) }, "Unreachable"},
		"a configuration that isn": {func(all map[string]object) {
			all["cluster"]["spec"].(object)["rkeConfig"].(object)["machineSelectorConfig"] = "text"
		}, func(*fake.Clientset) {}, "Unreadable"},
	} {
		cluster := down()
		tt.cluster(cluster)
		options := Options{Namespace: "fleet-default", Name: "demo", Options: migration.Options{InstallMethod: InstallHelm}}
		p, err := New(t.Context(), Clients{Management: wholeRancher(t, tt.objects), Downstream: cluster}, options, clocktesting.NewFakeClock(time.Unix(0, 0)))
		f, ok := fault.As(err)
		if (err != nil) != (tt.reason != "") || ok && f.Reason != tt.reason && tt.reason != "Unreadable" {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (p.Target() != journal.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "the-cluster"} || len(p.Steps()) != 10 || len(p.Undo().Steps()) != 8) {
			t.Errorf("%s: %+v, %d steps", name, p.Target(), len(p.Steps()))
		}
	}
}

func refuse(client *fake.Clientset, resource string, err error) {
	client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err })
}

// specOf is spec.rkeConfig of the Cluster, as it is now.
func specOf(t *testing.T, client *dynamicfake.FakeDynamicClient) object {
	t.Helper()
	cluster, err := client.Resource(clustersGVR).Namespace("fleet-default").Get(t.Context(), "demo", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return cluster.Object["spec"].(object)
}

// An edit is announced with its inverse, and with how the control planes looked; what
// takes it back leaves the configuration as it was, to the letter.
func TestEditsGoInAndOut(t *testing.T) {
	p, client := migrating(t, Options{EndState: EndOverrides}, nil)
	tx := journaled(t, StepEnable)
	before := specOf(t, client)
	edit := func(step journal.StepID) migration.Edit {
		t.Helper()
		got, err := p.Edit(t.Context(), p.look(t, tx.Record()), step)
		if err != nil || got.Object != "Cluster fleet-default/demo" {
			t.Fatal(step, err, got.Object)
		}
		return got
	}
	enable := edit(StepEnable)
	if enable.Empty() || len(enable.Locations()) != len(enable.Changes) {
		t.Fatalf("%+v", enable)
	}
	if err := enable.Write(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	var noted manifests
	intents := tx.Record().Intents
	if _, err := tx.NoteInto(manifestsNote, &noted); err != nil || noted["uid-cp"].Hash != "h" || noted["uid-cp"].Step != StepEnable || len(intents) != 1 || len(intents[0].Inverse) == 0 || intents[0].Object != enable.Object {
		t.Errorf("%v, noted %+v, intents %+v", err, noted, intents)
	}
	if d := cmp.Diff(before, specOf(t, client)); d == "" || !edit(StepEnable).Empty() {
		t.Error("nothing was written")
	}
	tx = journaled(t, migration.StepUndoEnable, intents...)
	if err := edit(migration.StepUndoEnable).Write(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, specOf(t, client)); d != "" || !edit(migration.StepUndoEnable).Empty() {
		t.Error(d)
	}
	if _, err := p.Edit(t.Context(), p.look(t, journal.Record{}), StepInstall); err == nil {
		t.Error("a step that edits nothing has an edit")
	}
	broken := journal.Record{Intents: []journal.Intent{{Step: StepEnable, Object: enable.Object, Inverse: []byte("{")}}}
	if _, err := p.Edit(t.Context(), p.look(t, broken), migration.StepUndoEnable); err == nil {
		t.Error("an inverse that nobody can read was taken back")
	}
}

// A patch whose answer was lost is looked for before it is said to have failed; one that
// was refused was not made.
func TestLostAnswers(t *testing.T) {
	group := clustersGVR.GroupResource()
	for name, tt := range map[string]struct {
		answer error
		lands  bool
		unread bool
		reason string // "": it is made; "?": nobody knows
	}{
		"it is made":                    {nil, true, false, ""},
		"lost, and it is there":         {apierrors.NewTimeoutError("lost", 1), true, false, ""},
		"lost, and it is not":           {apierrors.NewTimeoutError("lost", 1), false, false, "?"},
		"lost, and nobody can look":     {apierrors.NewTimeoutError("lost", 1), true, true, "?"},
		"forbidden":                     {apierrors.NewForbidden(group, "demo", nil), false, false, fault.ReasonForbidden},
		"not who one was":               {apierrors.NewUnauthorized("who"), false, false, fault.ReasonUnauthorized},
		"it moved":                      {apierrors.NewConflict(group, "demo", nil), false, false, "ChangedMeanwhile"},
		"its values moved":              {apierrors.NewInvalid(schema.GroupKind{}, "demo", nil), false, false, "ChangedMeanwhile"},
		"it is gone":                    {apierrors.NewNotFound(group, "demo"), false, false, "ChangedMeanwhile"},
		"it is no patch for the server": {apierrors.NewBadRequest("no"), false, false, "ChangedMeanwhile"},
	} {
		p, client := migrating(t, Options{EndState: EndOverrides}, nil)
		tx := journaled(t, StepEnable)
		edit, err := p.Edit(t.Context(), p.look(t, tx.Record()), StepEnable)
		if err != nil {
			t.Fatal(err)
		}
		client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if tt.lands {
				if _, _, err := clienttesting.ObjectReaction(client.Tracker())(action); err != nil {
					return true, nil, err
				}
			}
			if tt.unread {
				client.PrependReactor("get", "clusters", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, errors.New("away") })
			}
			return tt.answer != nil, nil, tt.answer
		})
		err = edit.Write(t.Context(), tx)
		f, ok := fault.As(err)
		if (err == nil) != (tt.reason == "") || ok != (tt.reason != "" && tt.reason != "?") || ok && f.Reason != tt.reason {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The upgrade changes the version and nothing else, once.
func TestUpgradeIsWritten(t *testing.T) {
	const target = "v1.26.15+rke2r1"
	p, client := migrating(t, Options{Options: migration.Options{KubernetesVersion: target}}, nil)
	tx := journaled(t, StepUpgrade)
	before := specOf(t, client)
	plan, err := p.PlanEdit(t.Context(), p.look(t, tx.Record()), StepUpgrade)
	if err != nil || plan.Rolls != 2 || plan.Estimate != "~6m" || plan.Summary[0] != "Kubernetes v1.26.13+rke2r1 → "+target || plan.Changes[0].Before != "v1.26.13+rke2r1" || plan.Changes[0].After != target {
		t.Errorf("%v %+v", err, plan)
	}
	edit, err := p.Edit(t.Context(), p.look(t, tx.Record()), StepUpgrade)
	if err == nil {
		err = edit.Write(t.Context(), tx)
	}
	after := specOf(t, client)
	before["kubernetesVersion"] = target
	if d := cmp.Diff(before, after); err != nil || d != "" || tx.Record().Intents[0].Token != target {
		t.Errorf("%v %s %+v", err, d, tx.Record().Intents)
	}
	if again, err := p.Edit(t.Context(), p.look(t, tx.Record()), StepUpgrade); err != nil || !again.Empty() {
		t.Errorf("a second time: %v %+v", err, again)
	}
	p.options.KubernetesVersion = "v1.30.0+rke2r1"
	if _, err := p.Edit(t.Context(), p.look(t, tx.Record()), StepUpgrade); fault.ClassOf(err) != fault.Usage {
		t.Errorf("it skips minor versions: %v", err)
	}
	// An answer that is lost is looked for by the version.
	for _, lands := range []bool{true, false} {
		p, client := migrating(t, Options{Options: migration.Options{KubernetesVersion: target}}, nil)
		edit, err := p.Edit(t.Context(), p.look(t, journal.Record{}), StepUpgrade)
		if err != nil {
			t.Fatal(err)
		}
		client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if lands {
				_, _, _ = clienttesting.ObjectReaction(client.Tracker())(action)
			}
			return true, nil, apierrors.NewTimeoutError("lost", 1)
		})
		if err := edit.Write(t.Context(), journaled(t, StepUpgrade)); (err == nil) != lands {
			t.Errorf("it landed: %t, %v", lands, err)
		}
	}
}

// A plan shows an edit on top of those of the steps before it, what it restarts, and for
// how long.
func TestPlansOfEdits(t *testing.T) {
	switched := func(all map[string]object) {
		for _, name := range []string{"cluster", "plane"} {
			spec := all[name]["spec"].(object)
			if name == "cluster" {
				spec = spec["rkeConfig"].(object)
			}
			spec["machineGlobalConfig"] = object{config.KeyProvider: "external"}
		}
		all["plane"]["status"].(object)["appliedSpec"] = runtime.DeepCopyJSON(all["plane"]["spec"].(object))
	}
	for name, tt := range map[string]struct {
		step     journal.StepID
		at       position.Position
		objects  func(map[string]object)
		has, not string // in the diffs
		rolls    int
		empty    bool
	}{
		"enable":                         {StepEnable, position.P1, nil, "+   - enable-leader-migration", "external", 1, false},
		"switch, before the flag":        {StepSwitch, position.P1, nil, "- enable-leader-migration", "", 2, false},
		"switch, with it":                {StepSwitch, position.P2, nil, "external", "- enable-leader-migration", 2, false},
		"undo of a switch":               {migration.StepUndoSwitch, position.P4, switched, "aws", "", 2, false},
		"undo of the flag, after it":     {migration.StepUndoEnable, position.P4, switched, "- enable-leader-migration", "", 1, false},
		"undo of the flag, none is":      {migration.StepUndoEnable, position.P2, nil, "", "enable-leader-migration", 0, true},
		"undo of the flag, in-tree now ": {migration.StepUndoEnable, position.P3, nil, "", "enable-leader-migration", 0, true},
	} {
		p, _ := migrating(t, Options{EndState: EndOverrides}, tt.objects)
		seen := p.look(t, journal.Record{})
		seen.Result = at(tt.at)
		plan, err := p.PlanEdit(t.Context(), seen, tt.step)
		diff := ""
		for _, c := range plan.Changes {
			diff += c.Diff
		}
		if err != nil || !strings.Contains(diff, tt.has) || tt.not != "" && strings.Contains(diff, tt.not) || plan.Rolls != tt.rolls || (len(plan.Changes) == 0) != tt.empty || len(plan.Summary) != len(plan.Changes) {
			t.Errorf("%s: %v, rolls %d, %+v\n%s", name, err, plan.Rolls, plan.Summary, diff)
		}
		if want := map[int]string{0: "", 1: "~2m", 2: "~4m"}[plan.Rolls]; plan.Estimate != want {
			t.Errorf("%s: takes %q", name, plan.Estimate)
		}
	}
	p, _ := migrating(t, Options{EndState: EndOverrides}, nil)
	if _, err := p.PlanEdit(t.Context(), p.look(t, journal.Record{}), StepInstall); err == nil {
		t.Error("a step that edits nothing has a plan")
	}
}

// The cloud config in force, which Rancher has in the configuration or in a Secret.
func TestCloudConfigInForce(t *testing.T) {
	for name, tt := range map[string]struct {
		value  any // nil: there is none
		secret map[string][]byte
		want   string
		reason string
	}{
		"none":                  {nil, nil, "", ""},
		"empty":                 {"", nil, "", ""},
		"inline":                {"[Global]\n", nil, "[Global]\n", ""},
		"in a Secret":           {"secret://fleet-default:cloud", map[string][]byte{"credential": []byte("[Global]\nVPC=v\n")}, "[Global]\nVPC=v\n", ""},
		"a Secret without it":   {"secret://fleet-default:cloud", map[string][]byte{"other": nil}, "", "BadCloudConfigSecret"},
		"no such Secret":        {"secret://fleet-default:another", nil, "", "NotFound"},
		"a reference that isnt": {"secret://cloud", nil, "", "BadCloudConfigReference"},
	} {
		p, _ := migrating(t, Options{}, func(all map[string]object) {
			if tt.value != nil {
				all["cluster"]["spec"].(object)["rkeConfig"].(object)["machineGlobalConfig"] = object{config.KeyProvider: "aws", config.KeyCloudConfig: tt.value}
			}
		})
		p.clients.ManagementKube = fake.NewClientset(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-default", Name: "cloud"}, Data: tt.secret})
		got, err := p.CloudConfig(t.Context(), p.look(t, journal.Record{}))
		f, ok := fault.As(err)
		if got != tt.want || (err != nil) != (tt.reason != "") || ok && f.Reason != tt.reason {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	p, _ := migrating(t, Options{}, func(all map[string]object) {
		all["cluster"]["spec"].(object)["rkeConfig"].(object)["machineSelectorConfig"] = []any{
			object{"machineLabelSelector": object{"matchLabels": object{config.LabelWorker: "true"}}, "config": object{config.KeyCloudConfig: "a"}},
			object{"machineLabelSelector": object{"matchLabels": object{config.LabelControlPlane: "true"}}, "config": object{config.KeyCloudConfig: "b"}}}
	})
	if _, err := p.CloudConfig(t.Context(), p.look(t, journal.Record{})); err == nil {
		t.Error("two cloud configs are in force, and one was taken")
	}
}

// The chart's document goes into additionalManifest once, on a cluster at rest, and out of
// it again.
func TestDocumentGoesInAndOut(t *testing.T) {
	const document = "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata:\n  name: aws-cloud-controller-manager\n  namespace: kube-system\nspec:\n  valuesContent: x\n"
	p, client := migrating(t, Options{Options: migration.Options{InstallMethod: InstallManifest}}, nil)
	by, tx := p.Document(), journaled(t, migration.StepInstall)
	manifest := func() string {
		text, _, _ := unstructured.NestedString(specOf(t, client), "rkeConfig", "additionalManifest")
		return text
	}
	seen := p.look(t, tx.Record())
	changes, err := by.PlanDocument(seen, document)
	if err != nil || len(changes) != 1 || changes[0].Object != "Cluster fleet-default/demo" {
		t.Errorf("%v %+v", err, changes)
	}
	moving := seen
	moving.Reading.Unrest = []Unrest{{Object: "x", Seen: "moves"}}
	if err := by.ApplyDocument(t.Context(), tx, moving, document); err == nil || manifest() != "" {
		t.Errorf("written on a cluster that moves: %v", err)
	}
	for range 2 {
		seen = p.look(t, tx.Record())
		seen.Reading.Unrest = nil
		if err := by.ApplyDocument(t.Context(), tx, seen, document); err != nil || manifest() != document || len(tx.Record().Intents) != 1 {
			t.Errorf("%v, %q, %+v", err, manifest(), tx.Record().Intents)
		}
	}
	if _, err := by.PlanDocument(seen, "no: document\n"); err == nil {
		t.Error("a document of something else was planned")
	}
	if err := by.ApplyDocument(t.Context(), tx, seen, "no: document\n"); err == nil {
		t.Error("a document of something else was written")
	}
	tx = journaled(t, migration.StepUndoInstall, tx.Record().Intents...)
	for range 2 {
		if err := by.RemoveDocument(t.Context(), tx, p.look(t, tx.Record())); err != nil || manifest() != "" || len(tx.Record().Intents) != 2 {
			t.Errorf("%v, %q, %+v", err, manifest(), tx.Record().Intents)
		}
	}
}

// The snapshot is asked for once, by the next generation, and is over when Rancher says
// so and nothing moves.
func TestSnapshotStep(t *testing.T) {
	p, client := migrating(t, Options{Options: migration.Options{Snapshot: true}}, nil)
	tx := journaled(t, StepSnapshot)
	step := p.snapshotStep(t)
	generation := func() int64 {
		n, _, _ := unstructured.NestedInt64(specOf(t, client), "rkeConfig", "etcdSnapshotCreate", "generation")
		return n
	}
	seen := p.look(t, tx.Record())
	if got, err := step.Verify(t.Context(), tx, seen); err != nil || got.Kind != runner.Failed {
		t.Errorf("none was asked for: %v %+v", err, got)
	}
	plan, err := step.Plan(t.Context(), seen)
	if err != nil || plan.Changes[0].Before != int64(2) || plan.Changes[0].After != int64(3) || plan.Summary[0] != "snapshot generation 2 → 3" {
		t.Errorf("%v %+v", err, plan)
	}
	moving := seen
	moving.Reading.Unrest = []Unrest{{Object: "x", Seen: "moves"}}
	if err := step.Do(t.Context(), tx, moving); err == nil || generation() != 2 {
		t.Errorf("asked for on a cluster that moves: %v", err)
	}
	for range 2 {
		if err := step.Do(t.Context(), tx, p.look(t, tx.Record())); err != nil || generation() != 3 || len(tx.Record().Intents) != 1 || tx.Record().Intents[0].Token != "3" {
			t.Errorf("%v, generation %d, %+v", err, generation(), tx.Record().Intents)
		}
	}
	for name, tt := range map[string]struct {
		generation int64
		phase      string
		moves      bool
		want       runner.VerdictKind
	}{
		"not begun":           {2, "Finished", false, runner.Waiting},
		"begun":               {3, "Started", false, runner.Waiting},
		"finished":            {3, "Finished", false, runner.Met},
		"a later one":         {4, "Finished", false, runner.Met},
		"finished, and moves": {3, "Finished", true, runner.Waiting},
		"failed":              {3, "Failed", false, runner.Failed},
		"the one before did":  {2, "Failed", false, runner.Waiting},
	} {
		seen := p.look(t, tx.Record())
		facts := factsOf(seen)
		facts.ControlPlane.SnapshotGeneration, facts.ControlPlane.SnapshotPhase = tt.generation, tt.phase
		seen.Config, seen.Reading.Unrest = observed{Facts: facts, snapshot: true}, nil
		if tt.moves {
			seen.Reading.Unrest = moving.Reading.Unrest
		}
		got, err := step.Verify(t.Context(), tx, seen)
		if err != nil || got.Kind != tt.want || got.Kind == runner.Waiting && (got.Progress != got.Seen || strings.Contains(got.Seen, "moves") != tt.moves) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	lost, client := migrating(t, Options{Options: migration.Options{Snapshot: true}}, nil)
	client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
		_, _, _ = clienttesting.ObjectReaction(client.Tracker())(action)
		return true, nil, apierrors.NewTimeoutError("lost", 1)
	})
	if err := lost.snapshotStep(t).Do(t.Context(), journaled(t, StepSnapshot), lost.look(t, journal.Record{})); err != nil {
		t.Errorf("its answer was lost, and it is there: %v", err)
	}
}

// Which snapshot is ours is what the journal announced last, since the last undo.
func TestSnapshotOfTheJournal(t *testing.T) {
	asked := func(token string) journal.Intent { return journal.Intent{Step: StepSnapshot, Token: token} }
	for name, tt := range map[string]struct {
		intents []journal.Intent
		want    int64
		begun   bool
	}{
		"none":               {nil, 0, false},
		"one":                {[]journal.Intent{asked("3")}, 3, true},
		"two":                {[]journal.Intent{asked("3"), asked("4"), {Step: StepEnable}}, 4, true},
		"one without number": {[]journal.Intent{asked("3"), asked("x")}, 3, true},
		"before an undo":     {[]journal.Intent{asked("3"), {Step: migration.StepUndoEnable}}, 0, false},
	} {
		if got, begun := snapshotIntended(journal.Record{Intents: tt.intents}); got != tt.want || begun != tt.begun {
			t.Errorf("%s: %d, %t", name, got, begun)
		}
	}
}

// What keeps a cluster from being at rest on Rancher's side, each by itself.
func TestUnrestOfRancher(t *testing.T) {
	plane := func(change func(*ControlPlane)) func(*Facts) { return func(f *Facts) { change(&f.ControlPlane) } }
	machine := func(change func(*Machine)) func(*Facts) { return func(f *Facts) { change(&f.Machines[1]) } }
	for name, tt := range map[string]struct {
		change func(*Facts)
		kind   migration.UnrestKind // "": it is at rest
	}{
		"at rest":                   {func(*Facts) {}, ""},
		"no control plane yet":      {plane(func(p *ControlPlane) { p.Found = false }), planeAbsent},
		"it is deleted":             {func(f *Facts) { f.Cluster.Deleting = true }, clusterDeleting},
		"paused by a run":           {plane(func(p *ControlPlane) { p.Paused, p.PausedBy = true, "r" }), pausedByRun},
		"paused by somebody":        {plane(func(p *ControlPlane) { p.Paused = true }), pausedByOther},
		"a mark without a pause":    {plane(func(p *ControlPlane) { p.PausedBy = "r" }), ""},
		"Cluster API pauses it":     {func(f *Facts) { f.CAPIPaused = true }, capiPaused},
		"not observed":              {plane(func(p *ControlPlane) { p.Generation = 5 }), specNotObserved},
		"not applied":               {plane(func(p *ControlPlane) { p.AppliedSpec = nil }), specNotApplied},
		"not Ready":                 {plane(func(p *ControlPlane) { p.Conditions["Ready"] = Condition{Status: "False"} }), planeCondition},
		"not Reconciled":            {plane(func(p *ControlPlane) { p.Conditions["Reconciled"] = Condition{Status: "Unknown"} }), planeCondition},
		"a snapshot is taken":       {plane(func(p *ControlPlane) { p.SnapshotPhase = "Started" }), snapshotUnderWay},
		"one is asked for":          {func(f *Facts) { f.Cluster.Spec.SnapshotGeneration = 3 }, snapshotUnderWay},
		"one is finished":           {plane(func(p *ControlPlane) { p.SnapshotPhase = "Finished" }), ""},
		"one has failed":            {plane(func(p *ControlPlane) { p.SnapshotPhase = "Failed" }), ""},
		"a restore":                 {plane(func(p *ControlPlane) { p.RestorePhase = "Started" }), restoreUnderWay},
		"keys are rotated":          {plane(func(p *ControlPlane) { p.RotationPhase = "Prepare" }), rotationUnderWay},
		"keys were":                 {plane(func(p *ControlPlane) { p.RotationPhase = "Done" }), ""},
		"that failed":               {plane(func(p *ControlPlane) { p.RotationPhase = "Failed" }), ""},
		"a Machine goes":            {func(f *Facts) { f.Machines[1].Deleting = true; f.Cluster.Spec.Pools[1].Quantity = 0 }, machineDeleting},
		"one has no Node":           {machine(func(m *Machine) { m.NodeName = "" }), machineWithoutNode},
		"its plan is not applied":   {machine(func(m *Machine) { m.Conditions["PlanApplied"] = Condition{Status: "Unknown"} }), machineCondition},
		"a Machine is missing":      {func(f *Facts) { f.Cluster.Spec.Pools[1].Quantity = 2 }, poolIncomplete},
		"one too many":              {func(f *Facts) { f.Cluster.Spec.Pools[1].Quantity = 0 }, poolIncomplete},
		"a copy that lacks an edit": {func(f *Facts) { f.Cluster.Spec.Global = map[string]any{"x": "y"} }, specNotCopied},
		"or the manifest":           {func(f *Facts) { f.Cluster.Spec.AdditionalManifest = "x" }, specNotCopied},
		"a copy nobody can read":    {plane(func(p *ControlPlane) { p.Spec = object{"machineSelectorConfig": "text"}; p.AppliedSpec = p.Spec }), specNotCopied},
	} {
		f, err := Clients{Management: wholeRancher(t, nil)}.Read(t.Context(), "fleet-default", "demo", time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		tt.change(&f)
		open := f.AtRest()
		if tt.kind == "" && len(open) > 0 || tt.kind != "" && (len(open) != 1 || open[0].Kind != tt.kind) {
			t.Errorf("%s: %+v", name, open)
		}
		if stops := tt.kind == pausedByRun || tt.kind == pausedByOther || tt.kind == capiPaused; (len(f.paused()) == 1) != stops || ((&Backend{}).Paused(migration.Snapshot{Config: observed{Facts: f}}) != "") != stops {
			t.Errorf("%s: paused %+v", name, f.paused())
		}
	}
}

// Choices that name no cluster, or no end state, are refused before anything is read.
func TestOptionsAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		object string
	}{
		"valid":        {func(*Options) {}, ""},
		"no name":      {func(o *Options) { o.Name = "" }, "flag --cluster"},
		"an end state": {func(o *Options) { o.EndState = "odd" }, "flag --end-state"},
		"what all are": {func(o *Options) { o.AWS = "odd" }, "flag --aws"},
	} {
		o := Options{Name: "demo", EndState: EndAuto, Options: migration.Options{InstallMethod: InstallHelm, AWS: "auto"}}
		tt.change(&o)
		if f, ok := fault.As(o.Validate()); ok != (tt.object != "") || ok && f.Object != tt.object {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
