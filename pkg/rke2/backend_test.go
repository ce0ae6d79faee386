package rke2

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

type object = map[string]any

// down returns a downstream cluster with a Node per Machine and a kube-controller-manager pod.
func down() *fake.Clientset {
	node := func(name, machine string, labels map[string]string) *corev1.Node { // in EC2's form, ip-A-B-C-D.domain
		address, _, _ := strings.Cut(strings.TrimPrefix(name, "ip-"), ".")
		labels[rancher.MachineLabel], labels["kubernetes.io/hostname"] = machine, name
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "n", Labels: labels, Annotations: map[string]string{config.NodeArgsAnnotation: `["server"]`}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
				Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: strings.ReplaceAll(address, "-", ".")}}}}
	}
	client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: wellknown.System, UID: "the-cluster"}},
		node("ip-10-0-0-1.ec2.internal", "uid-cp", map[string]string{"node-role.kubernetes.io/control-plane": "true"}), node("ip-10-0-0-2.ec2.internal", "uid-w", map[string]string{}),
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "kube-controller-manager-ip-10-0-0-1.ec2.internal", Labels: map[string]string{"component": wellknown.KCM, "tier": "control-plane"},
			Annotations: map[string]string{"kubernetes.io/config.mirror": "x", "kubernetes.io/config.hash": "h"}},
			Spec: corev1.PodSpec{NodeName: "ip-10-0-0-1.ec2.internal", Containers: []corev1.Container{{Name: wellknown.KCM, Args: []string{"--cloud-provider=aws"}}}}})
	client.PrependReactor("create", "subjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.CreateAction).GetObject(), nil // denies every request
	})
	return client
}

// testMigration holds a migration and its backend.
type testMigration struct {
	*Backend
	migration *procedure.Migration
}

// newMigration returns a migration of the cluster that down returns, and its management client.
func newMigration(t *testing.T, options Options, change func(map[string]object)) (testMigration, *dynamicfake.FakeDynamicClient) {
	t.Helper()
	client, cluster := rancherfixture.Client(t, change), down()
	options.Namespace, options.Name, options.RunID = "fleet-default", "demo", "run-2"
	if options.InstallMethod == "" {
		options.InstallMethod = migration.InstallHelm
	}
	m, err := New(t.Context(), rancher.Clients{Management: client, ManagementKube: fake.NewClientset(), Downstream: cluster, DownstreamConfig: restfake.Config(cluster, "v1.26.13+rke2r1")}, options, clocktesting.NewFakeClock(time.Unix(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	return testMigration{m.Backend.(*Backend), m}, client
}

func (p testMigration) observe(t *testing.T, record journal.Record) migration.Snapshot {
	t.Helper()
	snap, err := p.migration.Observe(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func TestNew_cluster_error(t *testing.T) {
	away := errors.New("away")
	for name, tt := range map[string]struct {
		objects func(map[string]object)
		cluster func(*fake.Clientset)
		reason  string
	}{
		"it is": {nil, func(*fake.Clientset) {}, ""},
		"another cluster": {func(all map[string]object) {
			delete(all, "cp")
			all["w"]["metadata"].(object)["uid"] = "another"
		}, func(*fake.Clientset) {}, "WrongTarget"},
		"no such Cluster": {func(all map[string]object) {
			all["cluster"]["metadata"].(object)["name"] = "demo-2"
		}, func(*fake.Clientset) {}, migration.ReasonClusterNotFound},
		"not Rancher's own":     {func(all map[string]object) { all["cluster"]["spec"] = object{} }, func(*fake.Clientset) {}, "NotProvisioned"},
		"it has no identity":    {nil, func(c *fake.Clientset) { refuse(c, "namespaces", away) }, "Unreachable"},
		"it cannot be observed": {nil, func(c *fake.Clientset) { refuse(c, "nodes", away) }, "Unreachable"},
		"a configuration that isn": {func(all map[string]object) {
			all["cluster"]["spec"].(object)["rkeConfig"].(object)["machineSelectorConfig"] = "text"
		}, func(*fake.Clientset) {}, "Unreadable"},
	} {
		cluster := down()
		tt.cluster(cluster)
		options := Options{Namespace: "fleet-default", Name: "demo", Options: migration.Options{InstallMethod: migration.InstallHelm}}
		p, err := New(t.Context(), rancher.Clients{Management: rancherfixture.Client(t, tt.objects), ManagementKube: fake.NewClientset(), Downstream: cluster}, options, clocktesting.NewFakeClock(time.Unix(0, 0)))
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

func TestObservedCombine_paused_reason(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*rancher.Facts)
		says   string
	}{
		"not paused":  {func(*rancher.Facts) {}, ""},
		"a run":       {func(f *rancher.Facts) { f.ControlPlane.Paused, f.ControlPlane.PausedBy = true, "run-1" }, "paused by awsmigrate (run-1)"},
		"a user":      {func(f *rancher.Facts) { f.ControlPlane.Paused = true }, "paused by annotation " + rancher.PausedAnnotation},
		"Cluster API": {func(f *rancher.Facts) { f.CAPIPaused = true }, "the CAPI Cluster is paused"},
	} {
		facts := rancherfixture.Resting()
		tt.change(&facts)
		if got := (observed{Facts: facts}).Combine(downstream.Cluster{}).Paused; got != tt.says {
			t.Errorf("%s: %q", name, got)
		}
	}
}
