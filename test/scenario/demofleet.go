package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/test/fleet"
)

// simulated is the number of simulated clusters of DemoFleet. Each fifth is RKE.
const simulated = 20

const fleetRollout = `apiVersion: awsmigrate.io/v1alpha1
kind: MigrationRollout
metadata: {name: eu, namespace: fleet-default}
spec:
  edits: Apply
  maxConcurrent: 17
  waves:
  - {name: canary, clusters: [demo, sim-00], maxConcurrent: 2}
  - {name: test, clusters: [sim-01, sim-02], maxConcurrent: 2}
  - {name: rest, maxConcurrent: 17}
`

// broken is the cluster that fails at first.
const broken = "sim-02"

// DemoFleet boots a lab and adds simulated clusters to its Rancher. A rollout migrates the lab's
// cluster and the simulated ones in three waves. One of them fails, which stops its wave until it
// is repaired.
func DemoFleet(ctx context.Context, bin, charts, dir string, out io.Writer) error {
	lab, booted, err := bootDemo(ctx, bin, dir, out)
	if err != nil {
		return err
	}
	began := time.Now()
	d := &fleetDemo{lab: lab, out: &lockedWriter{to: out}}
	if err := d.run(ctx, charts); err != nil {
		return err
	}
	fmt.Fprintf(out, "boot %.0f s, %d clusters %.0f s\n", booted.Seconds(), simulated+1, time.Since(began).Seconds())
	return nil
}

// fleetDemo is a running demo.
type fleetDemo struct {
	lab        *Lab
	out        io.Writer
	controller *Run
	members    map[string]*fleet.Member
}

func (d *fleetDemo) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

func (d *fleetDemo) run(ctx context.Context, charts string) error {
	before, err := d.lab.takeStock(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over, err := d.simulate(ctx)
	if err != nil {
		return err
	}
	err = d.install(ctx, charts)
	if err == nil {
		err = d.rollOut(ctx)
	}
	if err == nil {
		err = d.end(ctx, before)
	}
	stop()
	return errors.Join(err, <-over)
}

// simulate adds the simulated clusters. They live until ctx ends.
func (d *fleetDemo) simulate(ctx context.Context) (over <-chan error, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", d.lab.Kubeconfig("management"))
	if err != nil {
		return nil, err
	}
	f, err := fleet.New(config, clock.RealClock{})
	if err != nil {
		return nil, err
	}
	d.members = map[string]*fleet.Member{}
	for i := range simulated {
		name, add := fmt.Sprintf("sim-%02d", i), f.AddRKE2
		if i%5 == 4 {
			add = f.AddRKE
		}
		m := add(name)
		d.members[m.Name] = m
	}
	d.say("\n  %d simulated clusters join the lab's in this Rancher, each fifth one RKE", simulated)
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- f.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
		return ended, nil
	case err := <-ended:
		return nil, err
	}
}

// install installs the charts, and starts the controller with their rights.
func (d *fleetDemo) install(ctx context.Context, charts string) error {
	clusters, rke := []any{clusterName}, []any{}
	var objects []string
	for name, m := range d.members {
		clusters = append(clusters, name)
		if m.IsRKE() {
			rke = append(rke, name)
		}
		objects = append(objects, fmt.Sprintf(`{"apiVersion":%q,"kind":"ClusterMigration","metadata":{"namespace":%q,"name":%q},"spec":{"options":{"aws":{"mode":"Disabled"}}}}`,
			v1alpha1.SchemeGroupVersion, clusterNamespace, name))
	}
	d.say("\n$ helm install awsmigrate charts/awsmigrate -n %s --set mode=migrate -f values.yaml", controllerRelease().Namespace)
	installed, err := d.lab.Install(ctx, charts, map[string]any{"mode": "migrate", "maxConcurrent": 17, "access": map[string]any{"clusters": clusters, "rke1": rke}})
	if err != nil {
		return err
	}
	d.say("$ kubectl create -f -       # a ClusterMigration for each simulated cluster, without AWS")
	if _, err := d.lab.KubectlManagement(ctx, strings.Join(objects, "\n"), "create", "--validate=strict", "-f", "-"); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(d.lab.Dir, "logs", "controller.log"))
	if err != nil {
		return err
	}
	d.say("  the log of the controller: %s", log.Name())
	d.controller, err = installed.Start(ctx, log, "awsmigrate-0")
	return err
}

// rollOut migrates all clusters.
func (d *fleetDemo) rollOut(ctx context.Context) error {
	d.say("\n$ kubectl create -f - <<.\n%s.", fleetRollout)
	if _, err := d.lab.KubectlManagement(ctx, fleetRollout, "create", "--validate=strict", "-f", "-"); err != nil {
		return err
	}
	if err := d.waitFor(ctx, "the plans of all clusters", func(r *v1alpha1.MigrationRollout) bool {
		return isRolloutIn(r, status.AwaitingApproval) && r.Status.Counts.Total == simulated+1
	}); err != nil {
		return err
	}
	d.say("  a node of %s stops", broken)
	d.members[broken].SetNodeReady(4, false)
	if err := d.awsmigrate(ctx, "approve", "--yes"); err != nil {
		return err
	}
	if err := d.waitFor(ctx, "a stopped wave", func(r *v1alpha1.MigrationRollout) bool { return isRolloutIn(r, status.Stalled) }); err != nil {
		return err
	}
	if err := d.awsmigrate(ctx, "status"); err != nil {
		return err
	}
	d.say("\n  the node of %s is back", broken)
	d.members[broken].SetNodeReady(4, true)
	if err := d.awsmigrate(ctx, "retry"); err != nil {
		return err
	}
	if err := d.waitFor(ctx, "the goal", func(r *v1alpha1.MigrationRollout) bool { return isRolloutIn(r, status.Succeeded) }); err != nil {
		return err
	}
	return errors.Join(d.awsmigrate(ctx, "status"), d.awsmigrate(ctx, "plan", "-o", "wide"))
}

// awsmigrate runs a command about the rollout, and prints it.
func (d *fleetDemo) awsmigrate(ctx context.Context, verb string, flags ...string) error {
	args := append([]string{"rollout", verb, "--name", "eu"}, flags...)
	d.say("\n$ awsmigrate %s", strings.Join(args, " "))
	code, _, stderr, err := d.lab.Awsmigrate(ctx, d.out, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("awsmigrate rollout %s: exit %d: %s", verb, code, stderr)
	}
	return err
}

// isRolloutIn reports whether the status is current and shows a state.
func isRolloutIn(r *v1alpha1.MigrationRollout, state status.State) bool {
	return r.Status.ObservedGeneration == r.Generation && r.Status.Display != nil && status.StateOf(r.Status.Display.State) == state
}

// waitFor prints the rollout as it changes, until it fits.
func (d *fleetDemo) waitFor(ctx context.Context, what string, fits func(*v1alpha1.MigrationRollout) bool) error {
	last := ""
	return Until(ctx, what, func(ctx context.Context) (bool, string, error) {
		if err := d.controller.Ended(); err != nil {
			return false, "", err
		}
		o, err := d.lab.Management.Resource(v1alpha1.SchemeGroupVersion.WithResource("migrationrollouts")).Namespace(clusterNamespace).Get(ctx, "eu", metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		r := &v1alpha1.MigrationRollout{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, r); err != nil || r.Status.Display == nil {
			return false, "no status", err
		}
		c := r.Status.Counts
		now := fmt.Sprintf("%s  %d done, %d active, %d waiting, %d failed: %s", r.Status.Display.State, c.Done, c.Active, c.Waiting, c.Failed, r.Status.Display.Message)
		if now != last {
			last = now
			d.say("  %s %s", time.Now().Format(time.TimeOnly), now)
		}
		return fits(r), now, nil
	})
}

// end compares the lab's cluster with the time before, and the simulated ones with what they may
// never do.
func (d *fleetDemo) end(ctx context.Context, before stock) error {
	evidence, err := before.judge(ctx, Evidence{})
	if err != nil {
		return err
	}
	for name, m := range d.members {
		if wrong := m.Violations(); len(wrong) > 0 {
			return fmt.Errorf("%s: %s", name, strings.Join(wrong, "; "))
		}
	}
	d.say("\n$ lab observe\n%s", evidence.Report)
	d.say("no controller ran twice, on the lab's cluster and on %d simulated ones", simulated)
	return nil
}
