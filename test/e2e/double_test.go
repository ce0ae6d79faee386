package e2e

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestDoubleRunning installs a cloud controller manager of v1.28, whose default configuration
// of leader migration names no service and no route controller. Installed as its flag's
// documentation says, it runs services while the kube-controller-manager does, too. Installed
// by awsmigrate's chart it does not.
func TestDoubleRunning(t *testing.T) {
	t.Parallel()
	t.Run("the flag alone", flagAloneRunsTwice)
	t.Run("the flag and the file", flagAndFileDoNot)
	t.Run("a second one at the end", secondAtTheEnd)
}

func flagAloneRunsTwice(t *testing.T) {
	lab := boot(t, "--lease", quick)
	ctx := within(t, 6*time.Minute)
	migrate(ctx, t, lab, 0, "--no-etcd-snapshot", "--until", "enable-leader-migration")
	since, record := time.Now(), recordIn(lab, "flag-alone")
	ended := recording(ctx, t, lab, record)
	if err := lab.UpstreamCCM(ctx, "registry.k8s.io/provider-aws/cloud-controller-manager:v1.28.1", "--enable-leader-migration"); err != nil {
		t.Fatal(err)
	}
	err := scenario.Until(ctx, "the service controller to run twice", func(ctx context.Context) (bool, string, error) {
		seen, text, err := lab.Observe(ctx, since)
		for _, overlap := range seen.Of(scenario.Service).Overlaps {
			kinds := overlap.First.Kind + " " + overlap.Second.Kind
			if strings.Contains(kinds, scenario.KubeControllerManager) && strings.Contains(kinds, scenario.CloudControllerManager) {
				return true, "", err
			}
		}
		return false, text, err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = scenario.Until(ctx, "the record to show it", func(context.Context) (bool, string, error) {
		result, err := scenario.ReadRecord(record)
		return result.Verdict() == judge.Double, string(result.Verdict()), err
	})
	if err != nil {
		t.Fatal(err)
	}
	ended()
	asObserved(ctx, t, lab, record)
	const cause = "v1.28.1 without --leader-migration-config"
	wantRefused(ctx, t, lab, cause, "rke2", "status", "--cluster", "demo")
	before := time.Now()
	wantRefused(ctx, t, lab, cause, "rke2", "--cluster", "demo", "--yes", "--edits", "apply")
	wroteNothing(t, lab, before)
}

func flagAndFileDoNot(t *testing.T) {
	lab := boot(t, "--lease", quick)
	ctx := within(t, 6*time.Minute)
	since := time.Now()
	// Its version is newer than the API servers and is refused. A tag without a readable
	// version is accepted, together with the file.
	wantRefused(ctx, t, lab, "newer than the API servers", "rke2", "--cluster", "demo", "--yes", "--edits", "apply",
		"--ccm-image", "registry.k8s.io/provider-aws/cloud-controller-manager:v1.28.1")
	migrate(ctx, t, lab, 0, append(quickRollout(t), "--no-etcd-snapshot", "--until", "install-ccm",
		"--ccm-image", "mirror.example/cloud-controller-manager:v1.28.1_2")...)
	leads := false
	ccms, err := lab.Running(scenario.CloudControllerManager)
	if err != nil || len(ccms) != 3 {
		t.Fatalf("%d cloud controller managers run, %v", len(ccms), err)
	}
	for _, ccm := range ccms {
		log, err := os.ReadFile(ccm.Log)
		if err != nil {
			t.Fatal(err)
		}
		leads = leads || strings.Contains(string(log), `Started "cloud-node-controller"`) // its name from v1.28 on
		if ccm.Last("leader-migration-config") == "" {
			t.Errorf("%s runs without the file: %v", ccm.Name, ccm.Args)
		}
	}
	if !leads {
		t.Error("no cloud controller manager of v1.28 leads, so nothing was tried")
	}
	seen, text, err := lab.Observe(ctx, since)
	if err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
	for _, controller := range []string{scenario.Service, scenario.Route, scenario.Lifecycle} {
		if by := seen.Of(controller).RunBy(); len(by) != 1 || by[0].Kind != scenario.KubeControllerManager {
			t.Errorf("%s is run by %v, wanted a kube-controller-manager", controller, by)
		}
	}
}

// secondAtTheEnd starts a second cloud controller manager without leader election on a migrated
// cluster. The lab gives a kubeconfig only to pods of the DaemonSet, so it uses the machine's.
func secondAtTheEnd(t *testing.T) {
	lab := boot(t, "--lease", quick)
	ctx := within(t, 15*time.Minute)
	migrate(ctx, t, lab, 0, append(quickRollout(t), "--no-etcd-snapshot")...)
	since, record := time.Now(), recordIn(lab, "second")
	ended := recording(ctx, t, lab, record)
	if err := lab.SecondCCM(ctx, "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14"); err != nil {
		t.Fatal(err)
	}
	wantRefused(ctx, t, lab, "Deployment kube-system/second", "verify", "--cluster", "demo")
	err := scenario.Until(ctx, "the service controller to run twice", func(ctx context.Context) (bool, string, error) {
		seen, text, err := lab.Observe(ctx, since)
		return len(seen.Of(scenario.Service).Overlaps) > 0, text, err
	})
	if err != nil {
		t.Fatal(err)
	}
	ended()
	asObserved(ctx, t, lab, record)
	wantRefused(ctx, t, lab, "AWSM-215", "verify", "--cluster", "demo")
	wantRefused(ctx, t, lab, "Deployment kube-system/second", "rke2", "status", "--cluster", "demo")
	if _, err := lab.Kubectl(ctx, "", "-n", "kube-system", "delete", "deployment", "second", "--wait"); err != nil {
		t.Fatal(err)
	}
}
