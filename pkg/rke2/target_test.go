package rke2

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/internal/testing/restfake"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A run whose target release would not start kube-apiserver ends before it asks for
// approval, takes the lock or writes. The next release reaches the approval.
func TestUpgradeRun_releaseRefusesAWS_writesNothing(t *testing.T) {
	for target, refused := range map[string]bool{"v1.29.3+rke2r1": true, "v1.29.10+rke2r1": true, "v1.29.11+rke2r1": false} {
		p, mgmt, down := newMigrated(t, "v1.28.15+rke2r1", target)
		asked := false
		locks, kept := &lock.Memory{}, &journal.Memory{}
		_, err := runner.Run[migration.Snapshot](t.Context(), p.migration, runner.Options{RunID: "r", Journal: kept, Lock: locks.For(lock.Owner{Run: "r"}),
			Clock: clocktesting.NewFakeClock(time.Unix(0, 0)), Approve: func(context.Context, runner.Proposal) error {
				asked = true
				return &fault.Error{Class: fault.Gate, Object: "the test", Seen: "no"}
			}})
		if asked == refused || (fault.ClassOf(err) == fault.Check) != refused {
			t.Errorf("%s: asked %t, %v", target, asked, err)
		}
		for _, action := range append(mgmt(), down()...) {
			if verb := action.GetVerb(); verb != "get" && verb != "list" && verb != "watch" && action.GetResource().Group != "authorization.k8s.io" {
				t.Errorf("%s: %s %s", target, verb, action.GetResource().Resource)
			}
		}
		if state, err := kept.Load(t.Context()); err != nil || len(state.Runs) > 0 {
			t.Errorf("%s: a run is in the journal: %v %v", target, state.Runs, err)
		}
	}
}

// newMigrated returns a migration of a cluster at P5 with the end state overrides.
func newMigrated(t *testing.T, version, target string) (p testMigration, mgmt, down func() []clienttesting.Action) {
	t.Helper()
	overrides := object{config.KeyProvider: "aws", config.KeyDisableCCM: true, config.KeyKubeletArg: []any{"cloud-provider=external"}, config.KeyManagerArg: []any{"cloud-provider=external"}}
	client := rancherfixture.Client(t, func(all map[string]object) {
		for _, spec := range []object{all["cluster"]["spec"].(object), all["plane"]["spec"].(object), all["plane"]["status"].(object)["appliedSpec"].(object)} {
			rke := spec
			if inner, is := spec["rkeConfig"].(object); is {
				rke = inner
			}
			spec["kubernetesVersion"], rke["machineGlobalConfig"] = version, overrides
		}
	})
	cluster := migratedDown(t, version)
	options := Options{Options: migration.Options{KubernetesVersion: target, InstallMethod: migration.InstallHelm, RunID: "r"}, Namespace: "fleet-default", Name: "demo"}
	m, err := New(t.Context(), rancher.Clients{Management: client, ManagementKube: fake.NewClientset(), Downstream: cluster, DownstreamConfig: restfake.Config(cluster, version)},
		options, clocktesting.NewFakeClock(time.Unix(0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	p = testMigration{m.Backend.(*Backend), m}
	if snap := p.observe(t, journal.Record{}); snap.Result.Position != position.P5 {
		t.Fatalf("the cluster is not at P5: %+v", snap.Result)
	}
	return p, client.Actions, cluster.Actions
}

// migratedDown returns a cluster with an external kube-controller-manager and a CCM.
func migratedDown(t *testing.T, version string) *fake.Clientset {
	t.Helper()
	cluster := down()
	app := map[string]string{"k8s-app": wellknown.CCM}
	spec := corev1.PodSpec{NodeName: "ip-10-0-0-1.ec2.internal", HostNetwork: true, Containers: []corev1.Container{{Name: wellknown.CCM,
		Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.28.1", Args: []string{"--cloud-provider=aws", "--configure-cloud-routes=false"}}}}
	kcm, err := cluster.CoreV1().Pods(wellknown.System).Get(t.Context(), "kube-controller-manager-ip-10-0-0-1.ec2.internal", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kcm.Spec.Containers[0].Args = []string{"--cloud-provider=external"}
	for _, o := range []any{kcm,
		&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: wellknown.CCM}, Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: app}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: app}, Spec: spec}}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: wellknown.System, Name: "ccm-0", Labels: app}, Spec: spec}} {
		switch o := o.(type) {
		case *corev1.Pod:
			if o.Name == kcm.Name {
				_, err = cluster.CoreV1().Pods(o.Namespace).Update(t.Context(), o, metav1.UpdateOptions{})
			} else {
				_, err = cluster.CoreV1().Pods(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
			}
		case *appsv1.DaemonSet:
			_, err = cluster.AppsV1().DaemonSets(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	nodes, err := cluster.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		nodes.Items[i].Status.NodeInfo.KubeletVersion = version
		if _, err := cluster.CoreV1().Nodes().Update(t.Context(), &nodes.Items[i], metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	cluster.ClearActions()
	return cluster
}
