//go:build slow

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// disturbed is one migration with disturbances from outside. Each part begins where the
// previous one ended.
type disturbed struct {
	lab      *scenario.Lab
	start    time.Time
	original map[string]scenario.Identity
}

// TestDisturbed takes one cluster from P0 to P5. Meanwhile an instance is stopped, Rancher is
// away, cordons are removed, pools grow and shrink, and an old kube-controller-manager runs.
// Each time the run reports it and exits with the matching code, and the same command continues
// after the stated fix. By the observer no controller ran twice, except those of the old
// manager.
func TestDisturbed(t *testing.T) {
	lab := boot(t, "--lease", quick)
	ctx := within(t, 25*time.Minute)
	d := &disturbed{lab: lab, start: time.Now()}
	var err error
	d.original, err = lab.Identities(ctx)
	must(t, err)
	for _, part := range []struct {
		name string
		run  func(context.Context, *testing.T)
	}{
		{"an instance is stopped during a rollout", d.instanceStops},
		{"Rancher is away, a cordon is removed, workers join, an old manager appears", d.world},
		{"paused by its user", d.pausedByUser},
		{"pools change during the switch", d.poolsChange},
		{"an old manager at the end", d.managerAtTheEnd},
	} {
		if !t.Run(part.name, func(t *testing.T) { part.run(ctx, t) }) {
			return
		}
	}
	after, err := lab.Identities(ctx)
	must(t, err)
	for name, was := range d.original {
		if now, stays := after[name]; stays && now != was {
			t.Errorf("Node %s is %v, was %v", name, now, was)
		}
	}
	d.observer(ctx, t)
}

// observer checks that no two processes ran a controller at once, except old managers that were
// left, and that each controller has a process now.
func (d *disturbed) observer(ctx context.Context, t *testing.T) {
	t.Helper()
	seen, text, err := d.lab.Observe(ctx, d.start)
	must(t, err)
	others, left, err := d.lab.WithoutLeft(seen)
	if err != nil || others.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
	if left == 0 {
		t.Errorf("the observer did not see that an old manager ran:\n%s", text)
	}
	runBy(ctx, t, d.lab, d.start, scenario.CloudControllerManager, scenario.Service, scenario.Lifecycle)
}

// noneTwice is the check of observer before an old manager was left.
func (d *disturbed) noneTwice(ctx context.Context, t *testing.T) {
	t.Helper()
	seen, text, err := d.lab.Observe(ctx, d.start)
	if err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
}

// command returns the command, which is the same each time.
func (d *disturbed) command(flags ...string) []string {
	return d.lab.Command("", append([]string{"--yes", "--no-etcd-snapshot"}, flags...)...)
}

func (d *disturbed) begin(ctx context.Context, t *testing.T, flags ...string) *scenario.Run {
	t.Helper()
	begun, err := d.lab.Start(ctx, testWriter{t}, d.command(flags...)...)
	must(t, err)
	return begun
}

// instanceStops stops the instance of a control plane that Rancher has not reached yet, which
// stops the rollout. The run waits for the Node by its name, then ends with the command that
// starts the instance.
func (d *disturbed) instanceStops(ctx context.Context, t *testing.T) {
	begun := d.begin(ctx, t, "--timeout", "90s")
	machine := d.notReached(ctx, t)
	node, err := d.lab.NodeOf(ctx, machine)
	must(t, err)
	must(t, d.lab.StopInstance(ctx, machine, false))
	id := d.original[node].ProviderID
	instance := id[strings.LastIndex(id, "/")+1:]
	ends(ctx, t, begun, 3, "left at 2 of 3", "Node "+node+": is not Ready: its instance is shut down",
		"waited for every control plane to run with the flag", "wanted   every Node Ready",
		"aws ec2 start-instances --instance-ids "+instance+" --region us-east-1",
		"Rancher continues with the rest: 2 of 3 machines changed")
	status := scenario.Refusal{Code: 5, Args: []string{"rke2", "status", "--cluster", "demo", "--exit-code"}, Says: []string{"flag on 2 of 3 KCMs"}}
	must(t, status.Check(ctx, d.lab, testWriter{t}))
	must(t, d.lab.StopInstance(ctx, machine, true))
	d.noneTwice(ctx, t)
}

// notReached waits until a machine has the flag, and returns one without it: the last by name,
// which Rancher takes last.
func (d *disturbed) notReached(ctx context.Context, t *testing.T) string {
	t.Helper()
	last := ""
	must(t, scenario.Until(ctx, "a kube-controller-manager with the flag", func(context.Context) (bool, string, error) {
		providers, err := d.lab.Providers()
		without := []string{}
		for machine, provider := range providers {
			if provider == "aws" {
				without = append(without, machine)
			}
		}
		if len(without) > 0 {
			last = slices.Max(without)
		}
		return err == nil && len(without) > 0 && len(without) < 3, fmt.Sprint(providers), err
	}))
	return last
}

// world continues the run. Rancher goes away and returns, a user removes a cordon, a worker
// joins, and an old manager appears after the preflight.
func (d *disturbed) world(ctx context.Context, t *testing.T) {
	begun := d.begin(ctx, t)
	says(ctx, t, begun, "◐  enable-leader-migration   ")
	must(t, d.lab.RunRancher(ctx, false))
	says(ctx, t, begun, "connection refused")
	look := scenario.Refusal{Code: 10, Args: []string{"rke2", "status", "--cluster", "demo"}, Says: []string{"Cluster fleet-default/demo: could not be read", "connection refused"}}
	must(t, look.Check(ctx, d.lab, testWriter{t}))
	must(t, d.lab.RunRancher(ctx, true))

	says(ctx, t, begun, "✓  cordon ")
	nodes, err := d.lab.ControlPlanes(ctx)
	must(t, err)
	must(t, d.lab.Cordon(ctx, nodes[0], false))
	must(t, d.lab.Lab(ctx, "scale", "workers", "4"))
	says(ctx, t, begun, "◐  install-ccm")
	old, err := d.lab.LeaveManager(ctx, nodes[1])
	must(t, err)
	fix := "take its manifest off Node " + nodes[1]
	ends(ctx, t, begun, 3, "AWSM-205", "AWSM-215", "✗  switch-provider", "Pod "+old.Pod, "with --leader-elect=false, and waits for no lease", fix) // words:ok: a text of the product
	if seen, err := d.lab.Standing(ctx); err == nil && strings.HasPrefix(seen, "P4") {
		t.Errorf("the switch was made although the old manager runs: %s", seen)
	}
	again := scenario.Refusal{Code: 3, Args: d.command(), Says: []string{"AWSM-215", "Pod " + old.Pod, fix, "✗  preflight"}}
	must(t, again.Check(ctx, d.lab, testWriter{t}))
	must(t, old.Remove(ctx))
	if cordoned, err := d.lab.Cordoned(ctx); err != nil || slices.Contains(cordoned, nodes[0]) {
		t.Errorf("cordoned %v, %v: a user removed the cordon of %s", cordoned, err, nodes[0])
	}
}

// pausedByUser pauses the cluster as a person does. The run writes nothing and reports the
// pause.
func (d *disturbed) pausedByUser(ctx context.Context, t *testing.T) {
	must(t, d.lab.Pause(ctx, true))
	since := time.Now()
	paused := scenario.Refusal{Code: 3, Args: d.command(), Says: []string{"RKEControlPlane fleet-default/demo", "paused by annotation cluster.x-k8s.io/paused"}}
	must(t, paused.Check(ctx, d.lab, testWriter{t}))
	clusterUntouched(t, d.lab, since)
	must(t, d.lab.Pause(ctx, false))
	must(t, d.lab.WaitApplied(ctx))
}

// poolsChange adds a worker while the provider is switched, and removes one before the end.
func (d *disturbed) poolsChange(ctx context.Context, t *testing.T) {
	begun := d.begin(ctx, t)
	says(ctx, t, begun, "◐  switch-provider")
	before, err := d.lab.Workers(ctx)
	must(t, err)
	_, err = d.lab.Grow(ctx, "workers", len(before)+1)
	must(t, err)
	says(ctx, t, begun, "◐  disable-leader-migration")
	must(t, d.lab.Lab(ctx, "scale", "workers", fmt.Sprint(len(before))))
	ends(ctx, t, begun, 0)
	if seen, err := d.lab.Standing(ctx); err != nil || seen != "P5" {
		t.Errorf("position %q, %v", seen, err)
	}
	if cordoned, err := d.lab.Cordoned(ctx); err != nil || len(cordoned) > 0 {
		t.Errorf("cordoned %v, %v", cordoned, err)
	}
	nodes, err := d.lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	must(t, err)
	for i := range nodes.Items {
		for key := range nodes.Items[i].Annotations {
			if strings.HasPrefix(key, "awsmigrate.io/") {
				t.Errorf("Node %s keeps annotation %s", nodes.Items[i].Name, key)
			}
		}
	}
}

// managerAtTheEnd leaves an old manager on a migrated cluster.
func (d *disturbed) managerAtTheEnd(ctx context.Context, t *testing.T) {
	must(t, scenario.Until(ctx, "the pools to be at rest", func(ctx context.Context) (bool, string, error) {
		code, out, _, err := d.lab.Awsmigrate(ctx, testWriter{t}, "verify", "--cluster", "demo")
		return code == 0, out, err
	}))
	nodes, err := d.lab.ControlPlanes(ctx)
	must(t, err)
	old, err := d.lab.LeaveManager(ctx, nodes[0])
	must(t, err)
	for _, r := range []scenario.Refusal{
		{Name: "verify", Code: 3, Args: []string{"verify", "--cluster", "demo"}, Says: []string{"AWSM-205", "AWSM-215", "Pod " + old.Pod, "take its manifest off Node " + nodes[0]}},
		{Name: "verify as JSON", Code: 3, Args: []string{"verify", "--cluster", "demo", "-o", "json"}, Says: []string{`"object": "Pod ` + old.Pod + `"`, `"fix": "take its manifest off Node ` + nodes[0] + `"`}},
		{Name: "status", Code: 3, Args: []string{"rke2", "status", "--cluster", "demo"}, Says: []string{"AWSM-215", "Pod " + old.Pod}},
		{Name: "run", Code: 3, Args: d.command(), Says: []string{"AWSM-215", "Pod " + old.Pod}},
	} {
		if err := r.Check(ctx, d.lab, testWriter{t}); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	must(t, old.Remove(ctx))
	for _, args := range [][]string{{"verify", "--cluster", "demo"}, {"rke2", "status", "--cluster", "demo", "--exit-code"}, d.command()} {
		if err := (scenario.Refusal{Code: 0, Args: args}).Check(ctx, d.lab, testWriter{t}); err != nil {
			t.Error(err)
		}
	}
}
