//go:build slow

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// crashingArgument adds an argument that kube-controller-manager does not know while
// awsmigrate's edit rolls out. The first machine's process crashes and Rancher's rollout stops
// there. The run reports where and why, and how to roll back.
func crashingArgument(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	run, err := lab.Start(ctx, testWriter{t}, "rke2", "--cluster", "demo", "--yes", "--edits", "apply", "--no-etcd-snapshot")
	must(t, err)
	waitStep(ctx, t, run, "enable-leader-migration")
	must(t, scenario.Until(ctx, "the flag in the Cluster object", func(ctx context.Context) (bool, string, error) {
		added := false
		err := lab.EditRKEConfig(ctx, func(rkeConfig map[string]any) {
			entries, _ := rkeConfig["machineSelectorConfig"].([]any)
			for _, e := range entries {
				entry, _ := e.(map[string]any)
				config, _ := entry["config"].(map[string]any)
				if args, _ := config["kube-controller-manager-arg"].([]any); len(args) > 0 {
					config["kube-controller-manager-arg"], added = append(args, "bogus-flag=1"), true
				}
			}
		})
		return added, "not there yet", err
	}))
	stopsToo(ctx, t, run, "kube-controller-manager of Machine "+crashes(ctx, t, lab, since), "bogus-flag", "enable-leader-migration")
	oneStays(ctx, t, lab, since)
}

// crashingBeforehand checks that a component that crashes before the migration is found.
func crashingBeforehand(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	must(t, lab.EditRKEConfig(ctx, func(rkeConfig map[string]any) {
		scenario.SelectorEntry(rkeConfig, scenario.ControlPlaneLabel, map[string]any{"kube-controller-manager-arg": []any{"bogus-flag=1"}})
	}))
	machine := crashes(ctx, t, lab, since)
	before := time.Now()
	stops(ctx, t, lab, []string{"AWSM-105", machine, "waiting for probes: kube-controller-manager"})
	clusterUntouched(t, lab, before)
	oneStays(ctx, t, lab, since)
}

// crashes waits until a kube-controller-manager has exited because of the argument, and returns
// its machine: the first one, which Rancher rolls alone.
func crashes(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time) string {
	t.Helper()
	machine := ""
	must(t, scenario.Until(ctx, "a kube-controller-manager to crash", func(context.Context) (bool, string, error) {
		started, err := lab.Started(scenario.KubeControllerManager, since)
		for _, p := range started {
			if p.ExitCode == 1 && p.Last("bogus-flag") != "" {
				machine = p.Node
				return true, "", nil
			}
		}
		return false, fmt.Sprintf("%d starts", len(started)), err
	}))
	return machine
}

// oneStays checks that Rancher's rollout stops before the last machine, whose
// kube-controller-manager continues to run the cloud controllers.
func oneStays(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time) {
	t.Helper()
	runBy(ctx, t, lab, since, scenario.KubeControllerManager, scenario.Service, scenario.Route, scenario.Lifecycle)
	running, err := lab.Running(scenario.KubeControllerManager)
	must(t, err)
	for _, p := range running {
		if p.Last("cloud-provider") == "aws" && p.Last("bogus-flag") == "" {
			return
		}
	}
	t.Errorf("no machine was spared: %v", running)
}

// stoppedWorker stops an instance, which could return later with its old arguments. Nothing is
// written.
func stoppedWorker(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	workers, err := lab.Machines(ctx, "worker")
	must(t, err)
	must(t, lab.Lab(ctx, "stop-instance", workers[0]))
	since := time.Now()
	node, err := lab.NodeOf(ctx, workers[0])
	must(t, err)
	stops(ctx, t, lab, []string{node, "AWSM-402"}) // EC2 shows it before the Node does
	must(t, scenario.Until(ctx, "Node "+node+" to be not Ready", func(ctx context.Context) (bool, string, error) {
		out, err := lab.Kubectl(ctx, "", "get", "node", node, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].status}`)
		return err == nil && out != "True", "Ready is " + out, err
	}))
	stops(ctx, t, lab, []string{node, "AWSM-105", "AWSM-402"})
	clusterUntouched(t, lab, since)
	inTreeStays(ctx, t, lab, since, "aws")
}
