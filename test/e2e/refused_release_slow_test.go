//go:build slow

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestRefusedRelease puts a migrated cluster, without awsmigrate, to a release whose
// kube-apiserver refuses the provider aws. The first control plane loses its API server; the next
// audit names the cause, and the release of its fix brings the machine back. The CCM then follows.
func TestRefusedRelease(t *testing.T) {
	const refused, starts = "v1.29.8+rke2r1", "v1.29.11+rke2r1"
	lab := boot(t, "--lease", quick, "--rancher-version", "v2.9.3")
	ctx := within(t, 40*time.Minute)
	before, err := lab.Identities(ctx)
	must(t, err)
	start := time.Now()
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, run()...)
	if err != nil || code != 0 {
		t.Fatalf("migration: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}

	setsVersion(ctx, t, lab, refused)
	hangsAtProbe(ctx, t, lab)
	code, stdout, stderr, err = lab.Awsmigrate(ctx, testWriter{t}, "verify", "--cluster", "demo")
	if err != nil || code != 3 || !strings.Contains(stdout, "AWSM-122") || !strings.Contains(stdout, "to v1.29.11 or later of that minor") {
		t.Fatalf("in the release: exit %d, %v; wanted AWSM-122 and the way out\n%s%s", code, err, stdout, stderr)
	}

	setsVersion(ctx, t, lab, starts)
	reachesVersion(ctx, t, lab, starts)
	must(t, lab.WaitApplied(ctx))
	runsVersion(ctx, t, lab, starts)
	code, stdout, stderr, err = lab.Awsmigrate(ctx, testWriter{t}, run()...)
	if err != nil || code != 0 {
		t.Fatalf("afterwards: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	runsImage(ctx, t, lab, ":v1.29.10")
	judgeEnd(ctx, t, lab, before, start)
}

func setsVersion(ctx context.Context, t *testing.T, lab *scenario.Lab, version string) {
	t.Helper()
	if out, err := lab.KubectlManagement(ctx, "", "-n", "fleet-default", "patch", "clusters.provisioning.cattle.io", "demo",
		"--type", "merge", "-p", `{"spec":{"kubernetesVersion":"`+version+`"}}`); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// reachesVersion waits until every kubelet runs a version.
func reachesVersion(ctx context.Context, t *testing.T, lab *scenario.Lab, version string) {
	t.Helper()
	must(t, scenario.Until(ctx, "every kubelet to run "+version, func(ctx context.Context) (bool, string, error) {
		nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		for i := range nodes.Items {
			if seen := nodes.Items[i].Status.NodeInfo.KubeletVersion; seen != version {
				return false, nodes.Items[i].Name + " runs " + seen, nil
			}
		}
		return true, "", nil
	}))
}

// hangsAtProbe waits until Rancher waits for a kube-apiserver.
func hangsAtProbe(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	must(t, scenario.Until(ctx, "Rancher to wait for a kube-apiserver", func(ctx context.Context) (bool, string, error) {
		out, err := lab.KubectlManagement(ctx, "", "-n", "fleet-default", "get", "clusters.provisioning.cattle.io", "demo",
			"-o", `jsonpath={.status.conditions[?(@.type=="Updated")].message}`)
		return strings.Contains(out, "waiting for probes: kube-apiserver"), out, err
	}))
}
