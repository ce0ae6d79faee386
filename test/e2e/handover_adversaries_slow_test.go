//go:build slow

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

const (
	// endsWithin is the time for which client-go alone lets a holder continue next to its
	// successor: the renew deadline, which begins after the pause between renewals, and a
	// moment to exit on a busy machine.
	endsWithin = 12*time.Second + 3*time.Second
	// healed is the longest gap of a hand-over whose lease expires and is taken without help,
	// by the rules of client-go.
	healed = 14 * time.Second
	// twice is the same if the successor exited, too: its main lease must expire before the
	// migration lease does.
	twice = 45 * time.Second
)

// adversary disturbs one hand-over. Its own end restores the cluster.
type adversary struct {
	name   string
	before func(context.Context, *testing.T, *duel) // before the run begins
	waits  func(context.Context, *testing.T, *duel) // after the run begins, before it fences
	behind func(context.Context, *testing.T, *duel) // once the lease is fenced
	end    func(context.Context, *testing.T, *duel) // after the run has ended
	code   int
	or     int // another possible exit code, or 0; with it, says is not checked
	says   []string
	gap    time.Duration
	frozen bool // the holder is frozen, and runs next to its successor
	killed bool // awsmigrate is killed, and the same command is typed again
	asPod  bool // it needs a kube-controller-manager in a static pod
}

func adversaries() []adversary {
	return []adversary{
		{name: "the holder is an old process behind a new mirror pod", before: holderOutlives, end: oldHasEnded, gap: healed, asPod: true,
			says: []string{"(aws-cloud-controller-manager), renewing"}},
		{name: "the holder freezes, and continues next to its successor", behind: freezeHolder, gap: healed, frozen: true,
			says: []string{"(aws-cloud-controller-manager), renewing"}},
		{name: "the kubelet of the holder freezes", before: kubeletFreezes, waits: kubeletIsWaitedFor, behind: kubeletStartsNothing, gap: healed, asPod: true,
			says: []string{"(aws-cloud-controller-manager), renewing"}},
		{name: "killed after the fence, together with the candidates", behind: bothKilled, gap: twice, killed: true},
		{name: "another run begins", behind: secondRun, gap: healed, says: []string{"(aws-cloud-controller-manager), renewing"}},
		{name: "a foreign process writes the lease", behind: foreignHolder, gap: healed + 5*time.Second,
			says: []string{"(aws-cloud-controller-manager), renewing"}},
		{name: "the API servers are away", behind: serversAreAway, gap: twice, or: 3},
	}
}

// duel is one adversary on a lab before its hand-over.
type duel struct {
	lab    *scenario.Lab
	since  time.Time
	holder scenario.ObservedProcess // ran the service controller
	run    *scenario.Run
	thawed time.Time
	flags  []string // of the run
	kept   []string // the files of its records
}

// TestHandOverAdversaries disturbs an early hand-over at real lease timings. However the run
// ends, no two processes run the cloud controllers at once, except a holder that was frozen,
// for no longer than client-go alone allows. Nothing that the run reads of the holder's
// container may make it remove its fence too early. The lease always finds a holder.
// AWSMIGRATE_KEPT_LAB names a lab that is past install-ccm.
func TestHandOverAdversaries(t *testing.T) {
	againstAll(t, beforeHandOver(t), adversaries())
}

// TestHandOverAdversariesOnRKE does the same with a cluster.yml, whose kube-controller-managers
// are no pods: docker restarts them, and none can hide behind another. The fence expires, since
// no kubelet shows an end.
func TestHandOverAdversariesOnRKE(t *testing.T) {
	againstAll(t, beforeHandOverOf(t, boot(t, "--distro", "rke")), slices.DeleteFunc(adversaries(), func(a adversary) bool { return a.asPod }))
}

// againstAll tries all adversaries, and compares the record of each run with the observer.
func againstAll(t *testing.T, lab *scenario.Lab, all []adversary) {
	t.Helper()
	ctx := within(t, 45*time.Minute)
	for i, a := range all {
		tried := false
		t.Run(a.name, func(t *testing.T) {
			tried = true
			began := time.Now()
			if i > 0 && lab.Target[0] == "rke2" {
				freshManagers(ctx, t, lab)
			}
			givenBack(ctx, t, lab)
			ready := time.Now()
			runDuel(ctx, t, lab, a)
			t.Logf("%s: %.0f s, after %.0f s to get ready", a.name, time.Since(ready).Seconds(), ready.Sub(began).Seconds())
		})
		if tried && t.Failed() {
			return // the next one needs a defined start
		}
	}
}

// beforeHandOver returns a lab of RKE2 that has finished the steps before the hand-over.
func beforeHandOver(t *testing.T, flags ...string) *scenario.Lab {
	t.Helper()
	if dir := os.Getenv(keptLab); dir != "" {
		bin, err := filepath.Abs("../../bin")
		must(t, err)
		lab, err := scenario.Open(t.Context(), bin, dir, testWriter{t})
		must(t, err)
		return lab
	}
	return beforeHandOverOf(t, boot(t), flags...)
}

// beforeHandOverOf migrates a lab up to its hand-over.
func beforeHandOverOf(t *testing.T, lab *scenario.Lab, flags ...string) *scenario.Lab {
	t.Helper()
	migrate(within(t, 10*time.Minute), t, lab, 0, append([]string{"--no-etcd-snapshot", "--hand-over", "early", "--until", "install-ccm"}, flags...)...)
	return lab
}

// runDuel runs one hand-over against an adversary.
func runDuel(ctx context.Context, t *testing.T, lab *scenario.Lab, a adversary, flags ...string) {
	t.Helper()
	d := &duel{lab: lab, since: time.Now(), flags: flags}
	d.holder = runsAlone(ctx, t, lab, d.since)
	act := func(what func(context.Context, *testing.T, *duel)) {
		if what != nil {
			what(ctx, t, d)
		}
	}
	act(a.before)
	d.begin(ctx, t)
	act(a.waits)
	must(t, scenario.Until(ctx, "the lease to be fenced", func(ctx context.Context) (bool, string, error) {
		holder, err := holderOfMigrationLease(ctx, lab)
		if !strings.HasPrefix(holder, "awsmigrate-fence_") && d.run.Ended() != nil {
			t.Fatalf("the run ended and has fenced nothing:\n%s%s", d.run.Stdout(), d.run.Stderr())
		}
		return strings.HasPrefix(holder, "awsmigrate-fence_"), holder, err
	}))
	act(a.behind)
	if a.killed {
		waitForRenewal(ctx, t, lab)
		d.begin(ctx, t)
	}
	d.ends(ctx, t, a)
	act(a.end)
	d.judge(ctx, t, a)
}

func (d *duel) begin(ctx context.Context, t *testing.T) {
	t.Helper()
	file := recordIn(d.lab, fmt.Sprintf("fight-%d", time.Now().UnixMilli()))
	d.kept = append(d.kept, file)
	var err error
	d.run, err = d.lab.Start(ctx, testWriter{t}, d.lab.Command("", append([]string{"--yes", "--no-etcd-snapshot", "--hand-over", "early", "--until", "hand-over", "--record", file}, d.flags...)...)...)
	must(t, err)
}

// ends waits for the end of the run and checks it against the outcomes that the adversary
// allows.
func (d *duel) ends(ctx context.Context, t *testing.T, a adversary) {
	t.Helper()
	if a.or == 0 {
		ends(ctx, t, d.run, a.code, a.says...)
		return
	}
	code, err := d.run.Wait(ctx)
	text := d.run.Stdout() + d.run.Stderr()
	took, back := strings.Contains(text, "(aws-cloud-controller-manager), renewing"), strings.Contains(text, "the cloud controller manager did not take it, or did not keep it")
	fits := code == a.code && took || code == a.or && back
	if err != nil || !fits {
		t.Errorf("exit %d, %v: taken %t, returned %t\n%s", code, err, took, back, text)
	}
	t.Logf("exit %d", code)
}

// judge checks the observer's report.
func (d *duel) judge(ctx context.Context, t *testing.T, a adversary) {
	t.Helper()
	seen, text, err := d.lab.Observe(ctx, d.since)
	must(t, err)
	beside := 0
	for _, name := range []string{scenario.Service, scenario.Lifecycle} { // with the chart's values the cloud controller manager runs no routes
		c := seen.Of(name)
		for _, o := range c.Overlaps {
			if beside++; !a.frozen || o.First != d.holder {
				t.Errorf("%s ran twice: %+v", c.Name, o)
			}
		}
		for _, i := range c.Intervals {
			if a.frozen && i.Process == d.holder && (i.Running || i.To.Sub(d.thawed) > endsWithin) {
				t.Errorf("%s: %s worked on until %s, thawed at %s", c.Name, i.Process.Name, i.To, d.thawed)
			}
		}
		if c.OpenGap() != nil {
			t.Errorf("no process runs %s", c.Name)
		}
	}
	gaps := seen.Of(scenario.Service).Gaps
	for _, g := range gaps {
		t.Logf("%.1f s without the service controller %v", g.Seconds, d.flags)
		if g.Seconds > a.gap.Seconds() {
			t.Errorf("%.1f s without the service controller, wanted %s at most", g.Seconds, a.gap)
		}
	}
	if len(seen.Unexplained) > 0 || len(seen.Blind) > 0 || a.frozen != (beside > 0) || len(gaps) == 0 && !a.frozen {
		t.Errorf("%d overlaps, %d gaps, unexplained %s, blind %v", beside, len(gaps), seen.Unexplained, seen.Blind)
	}
	for _, file := range d.kept {
		asTrue(ctx, t, d.lab, file, a.frozen)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// runsAlone returns the one process that runs the service controller.
func runsAlone(ctx context.Context, t *testing.T, lab *scenario.Lab, since time.Time) scenario.ObservedProcess {
	t.Helper()
	runBy(ctx, t, lab, since, scenario.KubeControllerManager, scenario.Service)
	seen, text, err := lab.Observe(ctx, since)
	must(t, err)
	by := seen.Of(scenario.Service).RunBy()
	if len(by) != 1 {
		t.Fatalf("the service controller is run by %v\n%s", by, text)
	}
	return by[0]
}

// freshManagers replaces every kube-controller-manager by an edit, because a holder whose
// container ended within the last ten minutes is not fenced.
func freshManagers(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	must(t, lab.EditRKEConfig(ctx, oneMoreCollector))
	must(t, lab.WaitApplied(ctx))
}

// oneMoreCollector changes an argument of kube-controller-manager that has no effect here, next
// to its other arguments.
func oneMoreCollector(rkeConfig map[string]any) {
	const key, name = "kube-controller-manager-arg", "concurrent-gc-syncs="
	entries, _ := rkeConfig["machineSelectorConfig"].([]any)
	for _, entry := range entries {
		config, _ := entry.(map[string]any)["config"].(map[string]any)
		args, there := config[key].([]any)
		if !there {
			continue
		}
		n := 20 // the default
		args = slices.DeleteFunc(args, func(arg any) bool {
			read, _ := fmt.Sscanf(fmt.Sprint(arg), name+"%d", &n)
			return read == 1
		})
		config[key] = append(args, fmt.Sprint(name, n+1))
	}
}

// givenBack makes the leading kube-controller-manager take the migration lease. While the cloud
// controller manager has it, a foreign holder stops it from renewing: it exits, and must wait
// for its own lease before it is a candidate again. Each lease is checked for renewals, because
// after a rollout the leases still name processes that exited.
func givenBack(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	must(t, scenario.Until(ctx, "the leader of the kube-controller-managers to hold the migration lease", func(ctx context.Context) (bool, string, error) {
		held := map[string]string{}
		for _, name := range []string{scenario.KCMLease, scenario.CCMLease, scenario.MigrationLease} {
			holder, err := lab.WaitHolder(ctx, name)
			if err != nil {
				return false, name, err
			}
			held[name] = holder
		}
		switch held[scenario.MigrationLease] {
		case held[scenario.KCMLease]:
			return true, "", nil
		case held[scenario.CCMLease]:
			return false, fmt.Sprint(held), writeHolder(ctx, lab, scenario.MigrationLease, "given-back_by-hand")
		}
		return false, fmt.Sprint(held), nil
	}))
}

// waitForRenewal waits until the migration lease has a holder that renews it.
func waitForRenewal(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	holder, err := lab.WaitHolder(ctx, scenario.MigrationLease)
	must(t, err)
	if strings.HasPrefix(holder, "awsmigrate-fence_") {
		t.Fatalf("the fence is renewed: %s", holder)
	}
	t.Logf("taken by %s", holder)
}

// holderOutlives replaces every kube-controller-manager and keeps the old leader's process
// running behind the pod of the next, on the same port.
func holderOutlives(ctx context.Context, t *testing.T, d *duel) {
	must(t, d.lab.Lab(ctx, "containers", d.holder.Node, "outlive"))
	must(t, d.lab.EditRKEConfig(ctx, oneMoreCollector))
	must(t, d.lab.WaitApplied(ctx))
	running, err := d.lab.Running(scenario.KubeControllerManager)
	must(t, err)
	beside := 0
	for _, p := range running {
		if p.Node == d.holder.Node {
			beside++
		}
	}
	if beside != 2 {
		t.Fatalf("%d kube-controller-managers run on %s, wanted the old and the new one", beside, d.holder.Node)
	}
}

// oldHasEnded checks that the fence ended a process that nothing else would have ended.
func oldHasEnded(ctx context.Context, t *testing.T, d *duel) {
	running, err := d.lab.Running(scenario.KubeControllerManager)
	must(t, err)
	for _, p := range running {
		if p.Name == d.holder.Name {
			t.Errorf("%s still runs", p.Name)
		}
	}
	must(t, d.lab.Lab(ctx, "containers", d.holder.Node, "end"))
}

// freezeHolder freezes the holder right after the fence, until the next one leads.
func freezeHolder(ctx context.Context, t *testing.T, d *duel) {
	must(t, d.lab.Lab(ctx, "kill", d.holder.Name, "--signal", "STOP"))
	must(t, scenario.Until(ctx, "another to run the service controller", func(ctx context.Context) (bool, string, error) {
		seen, text, err := d.lab.Observe(ctx, d.since)
		return len(seen.Of(scenario.Service).RunBy()) == 2, text, err
	}))
	must(t, d.lab.Lab(ctx, "kill", d.holder.Name, "--signal", "CONT"))
	d.thawed = time.Now()
}

func kubeletFreezes(ctx context.Context, t *testing.T, d *duel) {
	must(t, d.lab.Lab(ctx, "kill", "kubelet@"+d.holder.Node, "--signal", "STOP"))
}

func kubeletThaws(ctx context.Context, t *testing.T, d *duel) {
	must(t, d.lab.Lab(ctx, "kill", "kubelet@"+d.holder.Node, "--signal", "CONT"))
}

// kubeletIsWaitedFor thaws the kubelet once all others have renewed often enough. The run first
// waits 30 seconds for the cloud controller manager. About then the Node becomes not Ready, so
// the run names one or the other.
func kubeletIsWaitedFor(ctx context.Context, t *testing.T, d *duel) {
	silent, err := d.lab.NodeOf(ctx, d.holder.Node)
	must(t, err)
	must(t, scenario.Until(ctx, "awsmigrate to wait for the machine", func(context.Context) (bool, string, error) {
		text := d.run.Stdout() + d.run.Stderr()
		waits := strings.Contains(text, "the process before it may still run") || strings.Contains(text, "of Machine "+d.holder.Node+" is not Ready")
		return waits, "it runs", d.run.Ended()
	}))
	renewedByOthers(ctx, t, d.lab, silent, 3)
	if holder, err := holderOfMigrationLease(ctx, d.lab); err != nil || strings.HasPrefix(holder, "awsmigrate-fence_") {
		t.Errorf("fenced while a kubelet is frozen: %s, %v", holder, err)
	}
	kubeletThaws(ctx, t, d)
}

// kubeletStartsNothing freezes the kubelet again, so that no process restarts the holder when
// it exits. The cloud controller manager leads all the same, and the run waits until the holder
// is back.
func kubeletStartsNothing(ctx context.Context, t *testing.T, d *duel) {
	kubeletFreezes(ctx, t, d)
	runBy(ctx, t, d.lab, d.since, scenario.CloudControllerManager, scenario.Service)
	says(ctx, t, d.run, "waiting for the kube-controller-manager that stepped down")
	kubeletThaws(ctx, t, d)
}

// renewedByOthers waits until the kubelets of all other control planes have renewed the leases
// of their Nodes a number of times.
func renewedByOthers(ctx context.Context, t *testing.T, lab *scenario.Lab, but string, times int) {
	t.Helper()
	nodes, err := lab.ControlPlanes(ctx)
	must(t, err)
	last, renewals := map[string]time.Time{}, map[string]int{}
	must(t, scenario.Until(ctx, "the other kubelets to renew their Nodes' leases", func(ctx context.Context) (bool, string, error) {
		all := true
		for _, node := range nodes {
			lease, err := lab.Downstream.CoordinationV1().Leases("kube-node-lease").Get(ctx, node, metav1.GetOptions{})
			if err != nil {
				return false, "", err
			}
			if now := lease.Spec.RenewTime.Time; now.After(last[node]) {
				last[node] = now
				renewals[node]++ // the first one only shows the current time
			}
			all = all && (node == but || renewals[node] > times)
		}
		return all, fmt.Sprint(renewals), nil
	}))
	if renewals[but] > 1 {
		t.Errorf("Node %s renewed its lease although its kubelet must be frozen", but)
	}
}

// bothKilled kills awsmigrate and every cloud controller manager.
func bothKilled(ctx context.Context, t *testing.T, d *duel) {
	must(t, d.run.Signal(syscall.SIGKILL))
	<-d.run.Done()
	waiting, err := d.lab.Running(scenario.CloudControllerManager)
	must(t, err)
	for _, p := range waiting {
		must(t, d.lab.Lab(ctx, "kill", p.Name))
	}
	if len(waiting) == 0 {
		t.Fatal("no cloud controller manager runs")
	}
}

// secondRun types the same command again.
func secondRun(ctx context.Context, t *testing.T, d *duel) {
	args := slices.DeleteFunc(slices.Clone(d.run.Args), func(arg string) bool { return arg == "--record" || slices.Contains(d.kept, arg) }) // its file exists
	beside := scenario.Refusal{Code: 8, Args: args, Says: []string{"lock"}}
	must(t, beside.Check(ctx, d.lab, testWriter{t}))
}

// serversAreAway stops every API server of the cluster until no process runs the cloud
// controllers. The leader has exited then, and any candidate may lead next.
func serversAreAway(ctx context.Context, t *testing.T, d *duel) {
	servers, err := d.lab.Running("kube-apiserver")
	must(t, err)
	servers = slices.DeleteFunc(servers, func(p scenario.Process) bool { return p.Node == "" }) // Rancher's
	signal := func(name string) {
		for _, p := range servers {
			must(t, d.lab.Lab(ctx, "kill", p.Name, "--signal", name))
		}
	}
	signal("STOP")
	must(t, scenario.Until(ctx, "the holder to end", func(ctx context.Context) (bool, string, error) {
		seen, text, err := d.lab.Observe(ctx, d.since)
		return len(seen.Of(scenario.Service).RunBy()) == 0, text, err
	}))
	signal("CONT")
}

// foreignHolder overwrites the fence with an unknown holder.
func foreignHolder(ctx context.Context, t *testing.T, d *duel) {
	must(t, writeHolder(ctx, d.lab, scenario.MigrationLease, "another_process"))
}

// writeHolder writes a holder and its renewal into a lease, regardless of the current one.
func writeHolder(ctx context.Context, lab *scenario.Lab, lease, holder string) error {
	leases := lab.Downstream.CoordinationV1().Leases("kube-system")
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		found, err := leases.Get(ctx, lease, metav1.GetOptions{})
		if err != nil {
			return err
		}
		found.Spec.HolderIdentity, found.Spec.RenewTime = &holder, &metav1.MicroTime{Time: time.Now()}
		_, err = leases.Update(ctx, found, metav1.UpdateOptions{})
		return err
	})
}

// TestHandOverToNewerClient hands over to a cloud controller manager of client-go v0.28, which
// counts the duration in the lease and not its own.
func TestHandOverToNewerClient(t *testing.T) {
	image := []string{"--ccm-image", "mirror.example/cloud-controller-manager:v1.28.1_2"}
	lab := beforeHandOver(t, image...)
	ctx, began := within(t, 10*time.Minute), time.Now()
	runDuel(ctx, t, lab, adversary{gap: healed, says: []string{"(aws-cloud-controller-manager), renewing"}}, image...)
	t.Logf("%.0f s", time.Since(began).Seconds())
}
