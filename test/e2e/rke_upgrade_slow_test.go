//go:build slow

package e2e

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

const rkeTarget = "v1.27.16-rancher1-1"

// TestRKEUpgrade migrates a cluster whose cluster.yml has an awsCloudProvider, and
// upgrades it in a step of its own: not without the cluster's name, through a kill
// in the middle of rke, and with a CCM that follows and keeps the cloud config. The
// lab's API servers say 1.26 whatever rke runs, so that the audit at the end must
// object to the CCM of 1.27, and to nothing else: the step's own success cannot be
// seen here.
func TestRKEUpgrade(t *testing.T) {
	lab := boot(t, "--distro", "rke", "--aws-block", "--lease", quick)
	ctx := within(t, 40*time.Minute)
	before, err := lab.Identities(ctx)
	must(t, err)
	start := time.Now()
	command := func(flags ...string) []string {
		return lab.Command("", append([]string{"--yes", "--kubernetes-version", rkeTarget}, flags...)...)
	}

	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command()...)
	if err != nil || code != 6 || !strings.Contains(stdout+stderr, "--confirm=demo") {
		t.Fatalf("without --confirm: exit %d, %v, wanted 6 and the flag", code, err)
	}
	migrated := text(t, lab.ClusterFile)
	if strings.Contains(migrated, "awsCloudProvider") || !strings.Contains(migrated, "v1.26.9-rancher1-1") || !strings.Contains(migrated, "external-aws") {
		t.Errorf("before the gate cluster.yml is\n%s", migrated)
	}
	cloudConfigIsKept(ctx, t, lab, true)
	runsImage(ctx, t, lab, ":v1.26.14")

	killInUpgrade(ctx, t, lab, command("--confirm", "demo"))
	code, stdout, stderr, err = lab.Awsmigrate(ctx, testWriter{t}, command("--confirm", "demo")...)
	if err != nil || code != 3 || !strings.Contains(stderr, "checks failed: AWSM-607;") || !strings.Contains(stderr, "newer than the API servers, which run v1.26.13") {
		t.Fatalf("taken up: exit %d, %v, wanted 3 and AWSM-607 alone\n%s%s", code, err, stdout, stderr)
	}
	nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	must(t, err)
	for i := range nodes.Items {
		if version := nodes.Items[i].Status.NodeInfo.KubeletVersion; version != "v1.27.16" {
			t.Errorf("Node %s runs %s", nodes.Items[i].Name, version)
		}
	}
	if now := text(t, lab.ClusterFile); now != strings.Replace(migrated, "v1.26.9-rancher1-1", rkeTarget, 1) {
		t.Errorf("the upgrade changed more than the version:\n%s", now)
	}
	cloudConfigIsKept(ctx, t, lab, false)
	runsImage(ctx, t, lab, ":v1.27.10")
	judgeEnd(ctx, t, lab, before, start)
	if _, _, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command("--confirm", "demo")...); err != nil || strings.Contains(stderr, "rke │") {
		t.Errorf("on an upgraded cluster: %v, or rke ran again", err)
	}
}

// killInUpgrade kills awsmigrate while the rke of the upgrade works on a host.
func killInUpgrade(ctx context.Context, t *testing.T, lab *scenario.Lab, words []string) {
	t.Helper()
	run, err := lab.Start(ctx, testWriter{t}, words...)
	must(t, err)
	must(t, scenario.Until(ctx, "rke to upgrade a host", func(context.Context) (bool, string, error) {
		return strings.Contains(run.Stdout(), "◐  upgrade") && strings.Contains(run.Stderr(), "kube-apiserver"), "awsmigrate runs", run.Ended()
	}))
	must(t, run.Signal(syscall.SIGKILL))
	<-run.Done()
}

// cloudConfigIsKept looks for what awsCloudProvider said where the CCM reads it.
// One of its keys the CCM knows up to v1.27.0 only.
func cloudConfigIsKept(ctx context.Context, t *testing.T, lab *scenario.Lab, whole bool) {
	t.Helper()
	secret, err := lab.Downstream.CoreV1().Secrets("kube-system").Get(ctx, "aws-cloud-controller-manager-cloud-config", metav1.GetOptions{})
	must(t, err)
	got := string(secret.Data["cloud.conf"])
	if !strings.Contains(got, "KubernetesClusterID = demo") || strings.Contains(got, "DisableStrictZoneCheck = true") != whole {
		t.Errorf("the CCM's cloud config is %q, wanted DisableStrictZoneCheck: %t", got, whole)
	}
	processes, err := lab.Running(scenario.CloudControllerManager)
	must(t, err)
	for _, p := range processes {
		if p.Last("cloud-config") == "" {
			t.Errorf("%s runs without a cloud config: %v", p.Name, p.Args)
		}
	}
}

func runsImage(ctx context.Context, t *testing.T, lab *scenario.Lab, tag string) {
	t.Helper()
	set, err := lab.Downstream.AppsV1().DaemonSets("kube-system").Get(ctx, "aws-cloud-controller-manager", metav1.GetOptions{})
	must(t, err)
	if image := set.Spec.Template.Spec.Containers[0].Image; !strings.HasSuffix(image, tag) || set.Status.NumberReady == 0 || set.Status.NumberReady != set.Status.UpdatedNumberScheduled {
		t.Errorf("the CCM is %s, %s; wanted %s everywhere", image, fmt.Sprintf("%d of %d ready", set.Status.NumberReady, set.Status.DesiredNumberScheduled), tag)
	}
}
