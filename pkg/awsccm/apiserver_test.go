package awsccm

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// TestOnAPIServer runs everything that needs a real API server on one of them:
// starting one takes several seconds. The subtests clean up after themselves.
func TestOnAPIServer(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	config := server.Config()
	config.QPS, config.Burst = 200, 400
	client := kubernetes.NewForConfigOrDie(config)
	e := env{server: server, config: config, client: client}

	t.Run("dry run", e.dryRun)
	t.Run("grant", e.grant)
	t.Run("cordon", e.cordon)
	t.Run("idle lease", e.idleLease)
	t.Run("upgrade from upstream", e.upgradeFromUpstream)
	t.Run("kill at every point", e.killPoints)
	t.Run("orphans", e.orphans)
	t.Run("foreign installations", e.foreignInstallations)
	t.Run("pending of another tool", e.pendingOfAnother)
	t.Run("upstream chart given", e.upstreamChartGiven)
	t.Run("admission", e.admission)
	t.Run("least rights", e.leastRights)
}

type env struct {
	server *apiserver.Server
	config *rest.Config
	client kubernetes.Interface
}

func (e env) grant(t *testing.T) {
	ctx := t.Context()
	ask := func(want bool) {
		t.Helper()
		g, err := GrantAllowed(ctx, e.client)
		if err != nil {
			t.Fatal(err)
		}
		if g.Allowed() != want {
			t.Errorf("allowed %t (%+v), want %t", g.Allowed(), g, want)
		}
	}
	waitFor := func(want bool) { // the authorizer follows its informers
		t.Helper()
		e.eventually(t, func() bool {
			g, err := GrantAllowed(ctx, e.client)
			return err == nil && g.Allowed() == want
		})
	}
	ask(false)
	for i, want := range []bool{true, false} {
		changed, err := EnsureGrant(ctx, e.client)
		if err != nil || changed != want {
			t.Fatalf("run %d: changed %t, %v", i+1, changed, err)
		}
	}
	waitFor(true)

	role, err := e.client.RbacV1().Roles(wellknown.System).Get(ctx, wellknown.Grant, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role.Rules = role.Rules[:1]
	if _, err := e.client.RbacV1().Roles(wellknown.System).Update(ctx, role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	waitFor(false)
	if changed, err := EnsureGrant(ctx, e.client); err != nil || !changed {
		t.Fatalf("drift not mended: %t, %v", changed, err)
	}
	waitFor(true)
	for range 2 {
		if err := DeleteGrant(ctx, e.client); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(false)

	foreign := grantRole()
	foreign.Labels = nil
	if _, err := e.client.RbacV1().Roles(wellknown.System).Create(ctx, foreign, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"ensure": func() error { _, err := EnsureGrant(ctx, e.client); return err },
		"delete": func() error { return DeleteGrant(ctx, e.client) },
	} {
		if f, ok := fault.As(call()); !ok || f.Reason != "NotOurs" || f.Class != fault.Check {
			t.Errorf("%s over a foreign Role: %v", name, f)
		}
	}
	if err := e.client.RbacV1().Roles(wellknown.System).Delete(ctx, wellknown.Grant, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if bindings, _ := e.client.RbacV1().RoleBindings(wellknown.System).List(ctx, metav1.ListOptions{LabelSelector: managedByLabel + "=" + wellknown.FieldManager}); len(bindings.Items) != 0 {
		t.Errorf("a RoleBinding was made beside a foreign Role: %v", bindings.Items)
	}
}

func (e env) cordon(t *testing.T) {
	ctx, nodes := t.Context(), e.client.CoreV1().Nodes()
	for _, name := range []string{"cp-0", "cp-1"} {
		if _, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"kept": "yes"}}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = nodes.Delete(context.Background(), name, metav1.DeleteOptions{}) })
	}
	state := func(name string) (CordonState, *corev1.Node) {
		t.Helper()
		n, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n.Annotations["kept"] != "yes" {
			t.Errorf("%s lost an annotation", name)
		}
		return CordonOf(n.Annotations, n.Spec.Unschedulable), n
	}
	for range 2 {
		if s, err := Cordon(ctx, nodes, "cp-0", "run-1"); err != nil || s != CordonedByUs {
			t.Fatalf("%s, %v", s, err)
		}
	}
	if s, n := state("cp-0"); s != CordonedByUs || n.Annotations[CordonedBy] != "run-1" {
		t.Fatalf("%s %v", s, n.Annotations)
	}
	unschedulable := []byte(`{"spec":{"unschedulable":true}}`)
	if _, err := nodes.Patch(ctx, "cp-1", types.MergePatchType, unschedulable, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if s, err := Cordon(ctx, nodes, "cp-1", "run-1"); err != nil || s != CordonedByOther {
		t.Fatalf("%s, %v", s, err)
	}
	if wrote, err := Uncordon(ctx, nodes, "cp-1"); err != nil || wrote {
		t.Fatalf("the user's cordon was touched: %t, %v", wrote, err)
	}
	for _, want := range []bool{true, false} {
		if wrote, err := Uncordon(ctx, nodes, "cp-0"); err != nil || wrote != want {
			t.Fatalf("wrote %t, %v", wrote, err)
		}
	}
	if s, _ := state("cp-0"); s != Schedulable {
		t.Fatal(s)
	}

	_, user := state("cp-1")
	if _, err := nodes.Patch(ctx, "cp-1", types.MergePatchType, []byte(`{"spec":{"unschedulable":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if wrote, err := RestoreUser(ctx, nodes, "cp-1", "another-uid"); err != nil || wrote {
		t.Fatalf("another machine's Node was cordoned: %t, %v", wrote, err)
	}
	if wrote, err := RestoreUser(ctx, nodes, "cp-1", user.UID); err != nil || !wrote {
		t.Fatalf("wrote %t, %v", wrote, err)
	}
	if s, _ := state("cp-1"); s != CordonedByOther {
		t.Fatal(s)
	}
	if wrote, err := Uncordon(ctx, nodes, "gone"); err != nil || wrote {
		t.Fatalf("%t, %v", wrote, err)
	}
	if _, err := Cordon(ctx, nodes, "gone", "run-1"); err == nil || !strings.Contains(err.Error(), "Node gone") {
		t.Fatal(err)
	}
}

func (e env) idleLease(t *testing.T) {
	ctx, leases := t.Context(), e.client.CoordinationV1().Leases(wellknown.System)
	made, err := leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: wellknown.MigrationLease}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	holder := "somebody"
	renewed := made.DeepCopy()
	renewed.Spec.HolderIdentity = &holder
	if renewed, err = leases.Update(ctx, renewed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	seen := func(l *coordinationv1.Lease) lease.Observation {
		return lease.Observation{Exists: true, UID: string(l.UID), ResourceVersion: l.ResourceVersion}
	}
	err = DeleteIdleLease(ctx, e.client, wellknown.MigrationLease, seen(made))
	if f, ok := fault.As(err); !ok || f.Class != fault.Stale || f.Reason != "LeaseInUse" {
		t.Fatalf("a renewed lease: %v", err)
	}
	for range 2 {
		if err := DeleteIdleLease(ctx, e.client, wellknown.MigrationLease, seen(renewed)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := leases.Get(ctx, wellknown.MigrationLease, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if err := DeleteIdleLease(ctx, e.client, wellknown.KCMLease, seen(renewed)); err == nil {
		t.Fatal("deleted a lease that is none of the migration's")
	}
}

func (e env) eventually(t *testing.T, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatal("never came true")
		}
	}
}

func (e env) installer(t *testing.T, ch *chart.Chart) *Installer {
	t.Helper()
	i, err := NewInstaller(e.config, ch, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func migratingValues(t *testing.T, ch *chart.Chart) map[string]any {
	t.Helper()
	out, err := Values(Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.13+rke2r1", LeaderMigration: true,
		CloudConfig: "[Global]\nZone = us-east-1a\n", Chart: ch})
	if err != nil {
		t.Fatal(err)
	}
	return out.Values
}

func (e env) apply(t *testing.T, i *Installer, values map[string]any) *InstallPlan {
	t.Helper()
	plan, err := i.Plan(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	got, err := i.Apply(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != release.StatusDeployed {
		t.Fatalf("status %s", got.Status)
	}
	again, err := i.Plan(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	if again.Operation != OpNone {
		t.Fatalf("planned again: %s, changes %v, missing %v, values %v", again.Operation, again.Changes, again.Missing,
			reflect.DeepEqual(again.Release.Values, roundTrip(values)))
	}
	return plan
}

func (e env) upgradeFromUpstream(t *testing.T) {
	for _, version := range []string{"0.0.8", "0.0.9", "0.0.10", "0.0.11"} {
		t.Run(version, func(t *testing.T) {
			ctx := t.Context()
			i := e.installer(t, ownChartForTest(t))
			install := action.NewInstall(i.helm)
			install.ReleaseName, install.Namespace = wellknown.CCM, wellknown.System
			user := map[string]any{"nodeSelector": map[string]any{"node-role.kubernetes.io/control-plane": "true"}}
			if _, err := install.Run(upstreamChart(t, version), user); err != nil {
				t.Fatal(err)
			}
			defer e.uninstall(t, i)
			before, err := e.client.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			plan := e.apply(t, i, migratingValues(t, i.chart))
			if plan.Operation != OpUpgrade || len(plan.Changes) == 0 {
				t.Errorf("plan %s with %d changes", plan.Operation, len(plan.Changes))
			}
			for _, c := range plan.Changes {
				if strings.Contains(c.Object, "Secret") && strings.Contains(c.Diff, "W0dsb2Jh") {
					t.Error("the plan shows a secret")
				}
			}
			after, err := e.client.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if before.UID != after.UID {
				t.Error("the DaemonSet was replaced, not upgraded")
			}
			c := after.Spec.Template.Spec.Containers
			if len(c) != 1 || !contains(anyList(c[0].Args), "--enable-leader-migration=true") {
				t.Errorf("containers %+v", c)
			}
			if got := after.Spec.Template.Spec.NodeSelector; len(got) != 1 || got["node-role.kubernetes.io/control-plane"] != "true" {
				t.Errorf("selector %v", got)
			}
		})
	}
}

func anyList(list []string) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

func (e env) uninstall(t *testing.T, i *Installer) {
	t.Helper()
	for range 2 {
		if err := i.Uninstall(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := i.Current(); err != nil || r != nil {
		t.Fatalf("after uninstall: %v, %v", r, err)
	}
	for _, kind := range []string{"apps/v1/daemonsets", "/v1/configmaps", "/v1/serviceaccounts", rbac + "clusterroles", rbac + "clusterrolebindings", rbac + "roles", rbac + "rolebindings"} {
		group, rest, _ := strings.Cut(kind, "/")
		version, resource, _ := strings.Cut(rest, "/")
		objects := metadata.NewForConfigOrDie(e.config).Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: resource})
		left, err := objects.List(context.Background(), metav1.ListOptions{LabelSelector: managedByLabel + "=Helm"})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range left.Items {
			t.Errorf("after uninstall: %s %s/%s", resource, o.Namespace, o.Name)
		}
	}
}

const rbac = "rbac.authorization.k8s.io/v1/"
