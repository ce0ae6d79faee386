package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// DemoController boots a lab and installs the controller with the rights of its chart alone. A
// ClusterMigration migrates the cluster while other events go on, and undoes the migration.
// DemoController shows the evidence.
func DemoController(ctx context.Context, bin, charts, dir string, out io.Writer) error {
	lab, booted, err := bootDemo(ctx, bin, dir, out)
	if err != nil {
		return err
	}
	took, err := DemoControllerOn(ctx, lab, charts, out)
	if err == nil {
		fmt.Fprintf(out, "boot %.0f s, migration %.0f s, undo %.0f s\n", booted.Seconds(), took[0].Seconds(), took[1].Seconds())
	}
	return err
}

// controllerDemo is a running demo.
type controllerDemo struct {
	lab       *Lab
	out       io.Writer
	run       *Run // the controller
	beginning Beginning
}

// DemoControllerOn runs DemoController on a booted lab. It returns the durations of the migration
// and of the undo.
func DemoControllerOn(ctx context.Context, lab *Lab, charts string, out io.Writer) (took [2]time.Duration, err error) {
	d := &controllerDemo{lab: lab, out: &lockedWriter{to: out}}
	workers, err := lab.Workers(ctx)
	if err != nil || len(workers) == 0 {
		return took, fmt.Errorf("find a worker: %d, %w", len(workers), err)
	}
	maintenance := workers[len(workers)-1]
	d.say("\n$ kubectl cordon %s        # a maintenance of the user's, which must survive", maintenance)
	if err := lab.Cordon(ctx, maintenance, true); err != nil {
		return took, err
	}
	if d.beginning, err = lab.Beginning(ctx); err != nil {
		return took, err
	}
	if err := d.start(ctx, charts); err != nil {
		return took, err
	}
	stop, err := d.audit(ctx)
	if err != nil {
		return took, err
	}
	defer stop()
	if took[0], err = d.migrate(ctx); err != nil {
		return took, err
	}
	if took[1], err = d.undo(ctx); err != nil {
		return took, err
	}
	stop()
	return took, errors.Join(d.end(ctx), d.checkBeginning(ctx), d.printRights(ctx))
}

func (d *controllerDemo) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

// start installs the charts and starts the controller.
func (d *controllerDemo) start(ctx context.Context, charts string) error {
	d.say("\n$ helm install awsmigrate-crd charts/awsmigrate-crd -n %s --create-namespace", controllerRelease().Namespace)
	d.say("$ helm install awsmigrate charts/awsmigrate -n %s --set mode=migrate --set access.clusters={%s}", controllerRelease().Namespace, clusterName)
	installed, err := d.lab.Install(ctx, charts, map[string]any{"mode": "migrate", "access": map[string]any{"clusters": []any{clusterName}}})
	if err != nil {
		return err
	}
	path := filepath.Join(d.lab.Dir, "logs", "controller.log")
	log, err := os.Create(path)
	if err != nil {
		return err
	}
	d.say("  the container's program runs on this machine, as %s", controllerRelease().Account())
	d.say("  awsmigrate %s", strings.Join(installed.Args(), " "))
	d.say("  its log: %s", path)
	d.run, err = installed.Start(ctx, log, "awsmigrate-0")
	return err
}

// audit creates the object, whose first goal is an audit, and shows it from then on.
func (d *controllerDemo) audit(ctx context.Context) (stop func(), err error) {
	d.say("\n$ kubectl create -f -       # a ClusterMigration %s/%s with an empty spec: goal Audit", clusterNamespace, clusterName)
	if err := d.lab.CreateMigration(ctx, "{}"); err != nil {
		return nil, err
	}
	d.say("$ kubectl get awsm -n %s %s -w", clusterNamespace, clusterName)
	if stop, err = d.lab.watchMigration(ctx, d.out); err != nil {
		return nil, err
	}
	m, err := d.lab.Shows(ctx, d.run, "an audit", func(m *v1alpha1.ClusterMigration) bool {
		return m.Status.Audit != nil && m.Status.Plan == nil && m.Status.Position == "P0"
	})
	if err != nil {
		stop()
		return nil, err
	}
	a := m.Status.Audit
	d.say("audit at %s: %d ok, %d warn, %d fail, %d skip, %d unknown", m.Status.Position, a.OK, a.Warn, a.Fail, a.Skip, a.Unknown)
	return stop, nil
}

// migrate migrates the cluster while other events go on.
func (d *controllerDemo) migrate(ctx context.Context) (time.Duration, error) {
	before, err := d.lab.takeStock(ctx)
	if err != nil {
		return 0, err
	}
	begun, err := d.approve(ctx, `{"spec":{"goal":"Migrate","edits":"Apply"}}`)
	if err != nil {
		return 0, err
	}
	if _, err := d.lab.Shows(ctx, d.run, "switch-provider to begin", inStep("switch-provider")); err != nil {
		return 0, err
	}
	world := &world{lab: d.lab}
	if err := world.grow(ctx); err != nil {
		return 0, err
	}
	if err := d.awaitSuccess(ctx, "P5"); err != nil {
		return 0, err
	}
	took := time.Since(begun)
	evidence, err := before.judge(ctx, Evidence{})
	if err != nil {
		return took, err
	}
	if err := world.shrink(ctx, evidence.Hostname); err != nil {
		return took, err
	}
	if err := d.lab.AtRest(ctx); err != nil {
		return took, err
	}
	evidence.printStayed(d.out, world)
	return took, d.beginning.updateMachines(ctx)
}

func inStep(step string) func(*v1alpha1.ClusterMigration) bool {
	return func(m *v1alpha1.ClusterMigration) bool {
		return m.Status.Run != nil && m.Status.Run.Step != nil && m.Status.Run.Step.ID == step
	}
}

// undo undoes the migration.
func (d *controllerDemo) undo(ctx context.Context) (time.Duration, error) {
	begun, err := d.approve(ctx, `{"spec":{"goal":"Undo"}}`)
	if err != nil {
		return 0, err
	}
	err = d.awaitSuccess(ctx, "P0")
	return time.Since(begun), err
}

// approve sets a goal, shows its plan, and approves it. It returns the time of the approval.
func (d *controllerDemo) approve(ctx context.Context, goal string) (time.Time, error) {
	patch := func(patch string) error {
		d.say("\n$ kubectl patch awsm -n %s %s --type merge -p '%s'", clusterNamespace, clusterName, patch)
		return d.lab.PatchMigration(ctx, patch)
	}
	if err := patch(goal); err != nil {
		return time.Time{}, err
	}
	m, err := d.lab.Shows(ctx, d.run, "a plan", InState(status.AwaitingApproval))
	if err != nil || m.Status.Plan == nil {
		return time.Time{}, fmt.Errorf("no plan to approve: %s: %w", Summary(m), err)
	}
	d.say("plan %s", m.Status.Plan.Hash)
	for _, step := range m.Status.Plan.Steps {
		d.say("  %-10s %-30s %s", step.State, step.ID, step.Summary)
	}
	return time.Now(), patch(fmt.Sprintf(`{"spec":{"approvedPlan":%q}}`, m.Status.Plan.Hash))
}

func (d *controllerDemo) awaitSuccess(ctx context.Context, position string) error {
	_, err := d.lab.Shows(ctx, d.run, "the goal to be reached at "+position, func(m *v1alpha1.ClusterMigration) bool {
		return InState(status.Succeeded)(m) && m.Status.Position == position
	})
	return err
}

// end ends the controller as the deletion of its pod does.
func (d *controllerDemo) end(ctx context.Context) error {
	if err := d.run.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	began := time.Now()
	code, err := d.run.Wait(ctx)
	if err != nil || code != 0 && code != int(128+syscall.SIGTERM) {
		return fmt.Errorf("the controller ended with %d: %w", code, err)
	}
	holder, err := d.lab.LockHolder(ctx)
	if err != nil || holder != "" {
		return fmt.Errorf("the cluster's lock is held by %q: %w", holder, err)
	}
	d.say("\n$ kill -TERM %d        # the controller, which ended after %.1f s with %d and holds no lock", d.run.PID(), time.Since(began).Seconds(), code)
	return nil
}

// checkBeginning compares the cluster with its state before any change.
func (d *controllerDemo) checkBeginning(ctx context.Context) error {
	if err := d.beginning.Back(ctx); err != nil {
		return fmt.Errorf("the undo did not bring everything back: %w", err)
	}
	d.say("\nWhat the undo brought back, seen from outside")
	d.say("  Cluster       all %d values of its rkeConfig, one by one", values(d.beginning.Config))
	d.say("  Nodes         %d of %d with the same name, UID and ProviderID", len(d.beginning.Nodes), len(d.beginning.Nodes))
	d.say("  kube-system   the same %d objects of cloud controllers, Helm and awsmigrate", len(d.beginning.objects))
	d.say("  cordons       %s, as before", strings.Join(d.beginning.cordoned, ", "))
	seen, report, err := d.lab.Observe(ctx, d.beginning.Start.Add(-10*time.Second))
	d.say("\n$ lab observe\n%s", report)
	if err != nil || seen.Overlaps() > 0 || len(seen.Blind) > 0 {
		return fmt.Errorf("the observer reports %d overlaps, blind %v: %w", seen.Overlaps(), seen.Blind, err)
	}
	d.say("no controller ran twice")
	return nil
}

// printRights prints which of its rights the controller used. It returns an error if any request
// was refused.
func (d *controllerDemo) printRights(ctx context.Context) error {
	granted, err := d.lab.Granted(ctx)
	if err != nil {
		return err
	}
	account := controllerRelease().Account()
	asked, err := d.lab.Requests(account)
	if err != nil {
		return err
	}
	idle := asked.Idle(granted)
	slices.SortFunc(idle, func(a, b Right) int { return strings.Compare(a.String(), b.String()) })
	d.say("\n%s asked the management cluster %d times, and was refused %d times", account, asked.All, asked.Denied)
	d.say("of %d rights of its roles these %d were not used", len(granted), len(idle))
	for _, right := range idle {
		d.say("  %s", right)
	}
	switch {
	case asked.All == 0:
		return errors.New("the audit log has no request of the controller: nothing is proven")
	case asked.Denied > 0:
		return fmt.Errorf("refused: %v", asked.Refused)
	}
	return nil
}
