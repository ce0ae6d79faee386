package release

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/upstreamchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// TestOnAPIServer runs all tests that need a real API server on one server, which takes several
// seconds to start. The subtests clean up.
func TestOnAPIServer(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	config := server.Config()
	config.QPS, config.Burst = 200, 400
	client := kubernetes.NewForConfigOrDie(config)
	e := env{server: server, config: config, client: client}

	t.Run("dry run", e.dryRun)
	t.Run("planned ahead", e.plannedAhead)
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

func (e env) installer(t *testing.T, ch *chart.Chart) *Installer {
	t.Helper()
	i, err := NewInstaller(e.config, ch, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func embeddedChart(t *testing.T) *chart.Chart {
	t.Helper()
	ch, err := ccmchart.Load(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func migratingValues(t *testing.T, ch *chart.Chart) map[string]any {
	t.Helper()
	out, err := ccmchart.Values(ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.13+rke2r1", LeaderMigration: true,
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

// plannedAhead checks that the preview of a later upgrade equals its plan after the
// installation.
func (e env) plannedAhead(t *testing.T) {
	i := e.installer(t, embeddedChart(t))
	with := migratingValues(t, i.chart)
	out, err := ccmchart.Values(ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.13+rke2r1", CloudConfig: "[Global]\nZone = us-east-1a\n", Chart: i.chart})
	if err != nil {
		t.Fatal(err)
	}
	ahead, err := i.PlanAfter(with, out.Values)
	if err != nil {
		t.Fatal(err)
	}
	defer e.uninstall(t, i)
	e.apply(t, i, with)
	now, err := i.Plan(t.Context(), out.Values)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(now.Changes, ahead.Changes); d != "" || len(ahead.Changes) == 0 || ahead.Operation != now.Operation {
		t.Errorf("%s, %s: %s", ahead.Operation, now.Operation, d)
	}
}

func (e env) upgradeFromUpstream(t *testing.T) {
	for _, version := range []string{"0.0.8", "0.0.9", "0.0.10", "0.0.11"} {
		t.Run(version, func(t *testing.T) {
			ctx := t.Context()
			i := e.installer(t, embeddedChart(t))
			install := action.NewInstall(i.helm)
			install.ReleaseName, install.Namespace = wellknown.CCM, wellknown.System
			user := map[string]any{"nodeSelector": map[string]any{"node-role.kubernetes.io/control-plane": "true"}}
			if _, err := install.Run(upstreamchart.Load(t, version), user); err != nil {
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
			if len(c) != 1 || !slices.Contains(c[0].Args, "--enable-leader-migration=true") {
				t.Errorf("containers %+v", c)
			}
			if got := after.Spec.Template.Spec.NodeSelector; len(got) != 1 || got["node-role.kubernetes.io/control-plane"] != "true" {
				t.Errorf("selector %v", got)
			}
		})
	}
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
		left, err := objects.List(context.Background(), metav1.ListOptions{LabelSelector: wellknown.ManagedBy + "=Helm"})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range left.Items {
			t.Errorf("after uninstall: %s %s/%s", resource, o.Namespace, o.Name)
		}
	}
}

const rbac = "rbac.authorization.k8s.io/v1/"
