//go:build slow

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestNodeDeleted deletes the Node of a worker after a migration has begun. Every command
// reports the missing Node and how to restore it, and none mistakes the cluster for another
// one. Once the kubelet has registered the Node again, the same command accepts it, together
// with a control plane that joined meanwhile. Undo works, too.
func TestNodeDeleted(t *testing.T) {
	lab := boot(t, "--lease", quick)
	ctx, start := within(t, 12*time.Minute), time.Now()
	command := lab.Command("", "--yes", "--no-etcd-snapshot", "--until", "lease-access")
	must(t, scenario.Refusal{Code: 0, Args: command}.Check(ctx, lab, testWriter{t}))

	machines, err := lab.Machines(ctx, "worker")
	must(t, err)
	machine := machines[0]
	node, err := lab.NodeOf(ctx, machine)
	must(t, err)
	must(t, lab.Downstream.CoreV1().Nodes().Delete(ctx, node, metav1.DeleteOptions{}))
	since := time.Now()
	gone := "its Node " + node + " is gone: it was deleted"
	for _, r := range []scenario.Refusal{
		{Name: "run", Code: 3, Args: lab.Command("", "--yes", "--no-etcd-snapshot"), Says: []string{"Machine " + machine, gone}},
		{Name: "undo", Code: 3, Args: lab.Command("undo", "--yes"), Says: []string{gone, "systemctl restart rke2-agent", "then run the same command again"}},
		{Name: "status", Code: 0, Args: lab.Command("status"), Says: []string{"P1"}},
		{Name: "verify", Code: 3, Args: []string{"verify", "--cluster", "demo"}, Says: []string{"AWSM-312", "Node " + node + ": is gone, but its machine " + machine + " still exists", "restart the kubelet on that machine"}},
	} {
		if err := r.Check(ctx, lab, testWriter{t}); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	clusterUntouched(t, lab, since)

	must(t, lab.Lab(ctx, "scale", "cp", "4"))
	must(t, lab.Lab(ctx, "kill", "kubelet@"+machine))
	must(t, scenario.Until(ctx, "Node "+node+" to be registered again, and four control planes", func(ctx context.Context) (bool, string, error) {
		now, err := lab.Identities(ctx)
		if err != nil {
			return false, "", err
		}
		planes, err := lab.ControlPlanes(ctx)
		return now[node].ProviderID != "" && len(planes) == 4, fmt.Sprint(now[node], planes), err
	}))
	must(t, lab.WaitApplied(ctx))
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, command...)
	if text := stdout + stderr; err != nil || code != 0 || !strings.Contains(text, "taken as they are now: Node "+node) {
		t.Errorf("with the Node again: exit %d, %v\n%s", code, err, text)
	}
	must(t, scenario.Refusal{Code: 0, Args: lab.Command("undo", "--yes")}.Check(ctx, lab, testWriter{t}))
	if seen, err := lab.Standing(ctx); err != nil || seen != "P0" {
		t.Errorf("position %q, %v", seen, err)
	}
	runBy(ctx, t, lab, start, scenario.KubeControllerManager, scenario.Service, scenario.Route, scenario.Lifecycle)
	if seen, text, err := lab.Observe(ctx, start); err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
}
