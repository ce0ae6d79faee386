package release

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/upstreamchart"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

var errKilled = errors.New("killed")

// dying lets the first n writes through and then fails all requests, including reads, as for a
// killed process.
func dying(config *rest.Config, writes int64) *rest.Config {
	config = rest.CopyConfig(config)
	var left atomic.Int64
	left.Store(writes)
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if left.Load() < 0 {
				return nil, errKilled
			}
			if r.Method != http.MethodGet && left.Add(-1) < 0 {
				return nil, errKilled
			}
			return rt.RoundTrip(r)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// killPoints interrupts an installation, an upgrade and an uninstall after each of their
// writes, and checks that the next run finishes each.
func (e env) killPoints(t *testing.T) {
	ctx, ch := t.Context(), embeddedChart(t)
	migrating := migratingValues(t, ch)
	out, err := ccmchart.Values(ccmchart.Inputs{Distribution: wellknown.RKE2, KubernetesVersion: "v1.26.13"})
	if err != nil {
		t.Fatal(err)
	}
	migrated := out.Values
	operations := []struct {
		name   string
		before func(*Installer)
		run    func(*Installer) error
		finish func(*Installer)
	}{
		{"install", func(*Installer) {}, e.runApply(ctx, migrating), func(i *Installer) { e.apply(t, i, migrating) }},
		{"upgrade", func(i *Installer) { e.apply(t, i, migrating) }, e.runApply(ctx, migrated), func(i *Installer) { e.apply(t, i, migrated) }},
		{"upgrade, then uninstall", func(i *Installer) { e.apply(t, i, migrating) }, e.runApply(ctx, migrated), func(*Installer) {}},
		{"uninstall", func(i *Installer) { e.apply(t, i, migrating) }, func(i *Installer) error { return i.Uninstall(ctx) }, func(*Installer) {}},
		{"uninstall, then install", func(i *Installer) { e.apply(t, i, migrating) }, func(i *Installer) error { return i.Uninstall(ctx) }, func(i *Installer) { e.apply(t, i, migrating) }},
	}
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			for n := int64(0); ; n++ {
				healthy := e.installer(t, ch)
				op.before(healthy)
				victim, err := NewInstaller(dying(e.config, n), ch, clock.RealClock{})
				if err != nil {
					t.Fatal(err)
				}
				killed := op.run(victim)
				op.finish(e.installer(t, ch))
				e.uninstall(t, e.installer(t, ch))
				if killed == nil {
					if n < 3 {
						t.Errorf("only %d writes: the kill points are not where they should be", n)
					}
					return
				}
				if n > 60 {
					t.Fatalf("still dying after %d writes: %v", n, killed)
				}
			}
		})
	}
}

func (e env) runApply(ctx context.Context, values map[string]any) func(*Installer) error {
	return func(i *Installer) error {
		plan, err := i.Plan(ctx, values)
		if err != nil {
			return err
		}
		_, err = i.Apply(ctx, plan)
		return err
	}
}

func (e env) foreignInstallations(t *testing.T) {
	ctx, ch := t.Context(), embeddedChart(t)
	values := migratingValues(t, ch)
	refused := func(t *testing.T, reason string) {
		t.Helper()
		_, err := e.installer(t, ch).Plan(ctx, values)
		f, ok := fault.As(err)
		if !ok || f.Reason != reason || f.Fix == "" {
			t.Fatalf("want %s with a fix, got %v", reason, err)
		}
	}
	t.Run("unowned object", func(t *testing.T) {
		accounts := e.client.CoreV1().ServiceAccounts(wellknown.System)
		if _, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: awsccm.ServiceAccountName}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		refused(t, "UnownedObjects")
		account, err := accounts.Get(ctx, awsccm.ServiceAccountName, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		account.Annotations = map[string]string{helmReleaseName: "mine", helmReleaseNamespace: "default"}
		if _, err := accounts.Update(ctx, account, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		refused(t, "OtherRelease")
		if err := accounts.Delete(ctx, awsccm.ServiceAccountName, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("release in another namespace", func(t *testing.T) {
		secrets := e.client.CoreV1().Secrets("default")
		record := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Name:   "sh.helm.release.v1." + wellknown.CCM + ".v1",
			Labels: map[string]string{"owner": "helm", "name": wellknown.CCM, "status": "deployed", "version": "1"},
		}}
		if _, err := secrets.Create(ctx, record, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		refused(t, "ReleaseElsewhere")
		if err := secrets.Delete(ctx, record.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("plan gone stale", func(t *testing.T) {
		i := e.installer(t, ch)
		plan, err := i.Plan(ctx, values)
		if err != nil {
			t.Fatal(err)
		}
		e.apply(t, e.installer(t, ch), values)
		defer e.uninstall(t, e.installer(t, ch))
		if _, err := i.Apply(ctx, plan); fault.ClassOf(err) != fault.Stale {
			t.Fatalf("a plan older than the release was applied: %v", err)
		}
	})
	t.Run("object deleted by hand", func(t *testing.T) {
		i := e.installer(t, ch)
		e.apply(t, i, values)
		defer e.uninstall(t, e.installer(t, ch))
		if err := e.client.AppsV1().DaemonSets(wellknown.System).Delete(ctx, wellknown.CCM, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		plan := e.apply(t, i, values)
		if len(plan.Missing) != 1 || plan.Operation != OpUpgrade {
			t.Errorf("missing %v, %s", plan.Missing, plan.Operation)
		}
		if _, err := e.client.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("record changed between read and write", func(t *testing.T) {
		e.apply(t, e.installer(t, ch), values)
		defer e.uninstall(t, e.installer(t, ch))
		slow, fast := e.installer(t, ch), e.installer(t, ch)
		for _, i := range []*Installer{slow, fast} {
			if _, err := i.Current(); err != nil {
				t.Fatal(err)
			}
		}
		last, err := fast.helm.Releases.Last(wellknown.CCM)
		if err != nil {
			t.Fatal(err)
		}
		stale, err := slow.helm.Releases.Last(wellknown.CCM)
		if err != nil {
			t.Fatal(err)
		}
		last.Info.Description = "first"
		if err := fast.helm.Releases.Update(last); err != nil {
			t.Fatal(err)
		}
		stale.Info.Description = "second"
		if err := slow.helm.Releases.Update(stale); !apierrors.IsConflict(err) && !apierrors.IsConflict(errors.Unwrap(err)) {
			t.Fatalf("the second writer was not refused: %v", err)
		}
	})
}

func (e env) pendingOfAnother(t *testing.T) {
	ctx := t.Context()
	i := e.installer(t, embeddedChart(t))
	values := migratingValues(t, i.chart)
	install := action.NewInstall(i.helm)
	install.ReleaseName, install.Namespace = wellknown.CCM, wellknown.System
	made, err := install.Run(upstreamchart.Load(t, "0.0.8"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.uninstall(t, e.installer(t, i.chart))
	made.Info.Status = release.StatusPendingUpgrade
	if err := i.helm.Releases.Update(made); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Plan(ctx, values); fault.ClassOf(err) != fault.Locked {
		t.Fatalf("a Helm at work was not respected: %v", err)
	}
	i.clock = later{}
	plan := e.apply(t, i, values)
	if plan.Repair != RepairMarkFailed {
		t.Errorf("repair %q", plan.Repair)
	}
}

// later is a clock that is ten minutes ahead.
type later struct{ clock.RealClock }

func (later) Now() time.Time { return time.Now().Add(10 * time.Minute) }

// upstreamChartGiven installs upstream's chart with --chart: it has no values for our files,
// and still gets them in the same release.
func (e env) upstreamChartGiven(t *testing.T) {
	ctx := t.Context()
	packed, err := ccmchart.Pack(upstreamchart.Load(t, "0.0.11"))
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "chart.tgz")
	if err := os.WriteFile(archive, packed, 0o600); err != nil {
		t.Fatal(err)
	}
	ch, err := ccmchart.Load(ctx, archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := ccmchart.Values(ccmchart.Inputs{
		Distribution: wellknown.RKE, KubernetesVersion: "v1.26.13-rancher1-1", LeaderMigration: true, Chart: ch,
		CloudConfig: "[Global]\nZone = us-east-1a\n",
		Image:       "registry.example/ccm@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	})
	if err != nil {
		t.Fatal(err)
	}
	i := e.installer(t, ch)
	e.apply(t, i, out.Values)
	defer e.uninstall(t, i)
	ds, err := e.client.AppsV1().DaemonSets(wellknown.System).Get(ctx, wellknown.CCM, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod := ds.Spec.Template.Spec
	args := pod.Containers[0].Args
	for _, want := range []string{"--enable-leader-migration=true", "--configure-cloud-routes=false",
		"--leader-migration-config=/etc/kubernetes/leader-migration/leader-migration.yaml", "--cloud-config=/etc/kubernetes/cloud-config/cloud.conf"} {
		if !slices.Contains(args, want) {
			t.Errorf("no %s in %v", want, args)
		}
	}
	if !pod.HostNetwork || fmt.Sprint(pod.NodeSelector) != "map[node-role.kubernetes.io/controlplane:true]" || len(pod.Volumes) != 2 {
		t.Errorf("host network %t, selector %v, volumes %v", pod.HostNetwork, pod.NodeSelector, pod.Volumes)
	}
	if got := pod.Containers[0].Image; got != "registry.example/ccm@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" {
		t.Error(got)
	}
	file, err := e.client.CoreV1().ConfigMaps(wellknown.System).Get(ctx, wellknown.CCM+"-leader-migration", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if file.Data["leader-migration.yaml"]+"\n" != ccmchart.MigrationFile() && file.Data["leader-migration.yaml"] != ccmchart.MigrationFile() {
		t.Errorf("migration file:\n%s", file.Data["leader-migration.yaml"])
	}
	secret, err := e.client.CoreV1().Secrets(wellknown.System).Get(ctx, wellknown.CCM+"-cloud-config", metav1.GetOptions{})
	if err != nil || string(secret.Data["cloud.conf"]) != "[Global]\nZone = us-east-1a\n" {
		t.Errorf("cloud config %q, %v", secret.Data["cloud.conf"], err)
	}
}
