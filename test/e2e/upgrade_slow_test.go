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

const (
	rke2Target = "v1.27.16+rke2r1"
	rkeTarget  = "v1.27.16-rancher1-1"
)

// TestUpgrade migrates a cluster to each end state and upgrades it in a separate step. The step
// requires the cluster's name, and survives a kill while Rancher rolls it. Afterwards undo is not
// possible, and says so.
func TestUpgrade(t *testing.T) {
	t.Run("overrides", func(t *testing.T) { upgrades(t, "aws") })
	t.Run("external", func(t *testing.T) { upgrades(t, "external", "--explicit-node-names") })
}

// upgrades upgrades a migrated lab whose machines have a provider in their configuration.
func upgrades(t *testing.T, provider string, flags ...string) {
	t.Helper()
	lab := boot(t, append(flags, "--lease", quick)...)
	ctx := within(t, 40*time.Minute)
	before, err := lab.Identities(ctx)
	must(t, err)
	start := time.Now()
	command := run("--kubernetes-version", rke2Target)

	stopsAtTheGate(ctx, t, lab, command)
	runsImage(ctx, t, lab, ":v1.26.14")
	command = append(command, "--confirm", "demo")
	killInUpgrade(ctx, t, lab, command, "1/6")
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command...)
	if err != nil || code != 0 {
		t.Fatalf("resumed: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	runsVersion(ctx, t, lab, rke2Target)
	runsProvider(ctx, t, lab, provider)
	runsImage(ctx, t, lab, ":v1.27.10")
	judgeEnd(ctx, t, lab, before, start)

	code, stdout, stderr, err = lab.Awsmigrate(ctx, testWriter{t}, lab.Command("undo", "--yes")...)
	if err != nil || code != 3 || !strings.Contains(stderr, "1.26 or older") {
		t.Errorf("undo of an upgraded cluster: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	runsVersion(ctx, t, lab, rke2Target)
}

// runsProvider checks the provider in the configuration of every machine.
func runsProvider(ctx context.Context, t *testing.T, lab *scenario.Lab, want string) {
	t.Helper()
	nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	must(t, err)
	for i := range nodes.Items {
		if got := last(nodeArgs(t, nodes.Items[i].Annotations), "--cloud-provider-name"); got != want {
			t.Errorf("Node %s has the provider %q, wanted %q", nodes.Items[i].Name, got, want)
		}
	}
}

func stopsAtTheGate(ctx context.Context, t *testing.T, lab *scenario.Lab, command []string) {
	t.Helper()
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command...)
	if err != nil || code != 6 || !strings.Contains(stdout+stderr, "--confirm=demo") {
		t.Fatalf("without --confirm: exit %d, %v, wanted 6 and the flag\n%s%s", code, err, stdout, stderr)
	}
}

// runsVersion checks every kubelet and the API server that answers.
func runsVersion(ctx context.Context, t *testing.T, lab *scenario.Lab, want string) {
	t.Helper()
	nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	must(t, err)
	for i := range nodes.Items {
		if version := nodes.Items[i].Status.NodeInfo.KubeletVersion; version != want {
			t.Errorf("Node %s runs %s", nodes.Items[i].Name, version)
		}
	}
	server, err := lab.Downstream.Discovery().ServerVersion()
	must(t, err)
	if server.GitVersion != want {
		t.Errorf("the API server is %s", server.GitVersion)
	}
}

// TestRKEUpgrade migrates a cluster whose cluster.yml has an awsCloudProvider, and upgrades it
// in a separate step. The step requires the cluster's name and survives a kill of rke. The CCM
// follows and keeps the cloud config.
func TestRKEUpgrade(t *testing.T) {
	lab := boot(t, "--distro", "rke", "--aws-block", "--lease", quick)
	ctx := within(t, 40*time.Minute)
	before, err := lab.Identities(ctx)
	must(t, err)
	start := time.Now()
	command := func(flags ...string) []string {
		return lab.Command("", append([]string{"--yes", "--kubernetes-version", rkeTarget}, flags...)...)
	}

	stopsAtTheGate(ctx, t, lab, command())
	migrated := text(t, lab.ClusterFile)
	if strings.Contains(migrated, "awsCloudProvider") || !strings.Contains(migrated, "v1.26.9-rancher1-1") || !strings.Contains(migrated, "external-aws") {
		t.Errorf("before the gate cluster.yml is\n%s", migrated)
	}
	cloudConfigIsKept(ctx, t, lab, true)
	runsImage(ctx, t, lab, ":v1.26.14")

	killInUpgrade(ctx, t, lab, command("--confirm", "demo"), "kube-apiserver")
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command("--confirm", "demo")...)
	if err != nil || code != 0 {
		t.Fatalf("resumed: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	runsVersion(ctx, t, lab, "v1.27.16")
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

// killInUpgrade kills awsmigrate once the upgrade prints a text.
func killInUpgrade(ctx context.Context, t *testing.T, lab *scenario.Lab, words []string, when string) {
	t.Helper()
	run, err := lab.Start(ctx, testWriter{t}, words...)
	must(t, err)
	must(t, scenario.Until(ctx, "the upgrade to be on its way", func(context.Context) (bool, string, error) {
		_, upgrade, begun := strings.Cut(run.Stdout(), "◐  upgrade")
		return begun && strings.Contains(upgrade+run.Stderr(), when), "awsmigrate runs", run.Ended()
	}))
	must(t, run.Signal(syscall.SIGKILL))
	<-run.Done()
}

// cloudConfigIsKept checks that the CCM reads the values of awsCloudProvider. The CCM knows one
// of the keys only up to v1.27.0.
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
