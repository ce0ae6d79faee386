//go:build slow

package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestAccessIsLost brings one lab to its end while one way to it after another is
// lost in the middle of a run: Rancher's token and the cluster's own expire, the
// grant is deleted, Rancher's proxy is cut, the kubeconfig in the Secret is replaced.
// Every run that cannot go on says what is missing and what to do; that done, the
// same command goes on; nothing ran twice, and nothing was without a controller but
// while the grant was missing.
func TestAccessIsLost(t *testing.T) {
	lab := boot(t, "--lease", quick, "--api-restart", "5s", "--workers", "1")
	ctx, start := within(t, 20*time.Minute), time.Now()
	before, err := lab.Identities(ctx)
	must(t, err)
	a := &access{lab: lab}
	for _, part := range []struct {
		name string
		run  func(context.Context, *testing.T)
	}{
		{"Rancher's token expires", a.ranchersToken},
		{"the grant is deleted", a.grant},
		{"the cluster's token expires", a.clustersToken},
		{"the proxy is cut", a.proxy},
		{"the kubeconfig Secret is rotated", a.secret},
	} {
		began := time.Now()
		if !t.Run(part.name, func(t *testing.T) { part.run(ctx, t) }) {
			t.FailNow() // the next part begins where this one was to end
		}
		t.Logf("%s: %.0f s", part.name, time.Since(began).Seconds())
	}
	judgeEnd(ctx, t, lab, before, start)
	a.nothingWasMissing(ctx, t, start)
}

// access is what the parts share.
type access struct {
	lab *scenario.Lab
	// taken and given are when the grant was deleted, and when what it had stopped
	// ran again.
	taken, given time.Time
}

// missing is longer than any hand-over of the lab's short leases takes, on a machine
// that is busy.
const missing = 2 * time.Minute

// nothingWasMissing asks the observer for what ran nowhere for long, but for the time
// without the grant, and for who runs it in the end. judgeEnd has asked for what ran
// twice.
func (a *access) nothingWasMissing(ctx context.Context, t *testing.T, since time.Time) {
	t.Helper()
	runBy(ctx, t, a.lab, since, scenario.CloudControllerManager, scenario.Service, scenario.Lifecycle)
	seen, text, err := a.lab.Observe(ctx, since)
	must(t, err)
	t.Logf("the observer:\n%s", text)
	for _, controller := range []string{scenario.Service, scenario.Lifecycle} {
		for _, gap := range seen.Of(controller).Gaps {
			end := gap.From.Add(time.Duration(gap.Seconds * float64(time.Second)))
			if gap.Seconds > missing.Seconds() && (end.Before(a.taken) || gap.From.After(a.given)) {
				t.Errorf("%s ran nowhere for %.0f s from %s on", controller, gap.Seconds, gap.From.Format(time.TimeOnly))
			}
		}
	}
}

// ranchersToken ends the operator's token at Rancher, and with it both API servers,
// while the flag is rolled out.
func (a *access) ranchersToken(ctx context.Context, t *testing.T) {
	command := run("--no-etcd-snapshot", "--until", "enable-leader-migration")
	first, err := a.lab.Start(ctx, testWriter{t}, command...)
	must(t, err)
	inTheMiddle(ctx, t, first, "enable-leader-migration")
	must(t, a.lab.RevokeTokens(ctx))
	ends(ctx, t, first, 10, "does not accept these credentials (401)", "Rancher goes on with the rest by itself", "on:      awsmigrate "+strings.Join(command, " "))
	refuses(ctx, t, a.lab, scenario.Refusal{Code: 10, Args: command, Says: []string{"Cluster fleet-default/demo", "does not accept these credentials (401)"}})
	a.saysInJSON(ctx, t, append(command, "-o", "json"))
	must(t, a.lab.Login(ctx))
	refuses(ctx, t, a.lab, scenario.Refusal{Args: command})
	a.standsAt(ctx, t, "P2")
}

// saysInJSON holds the one document of a run that is refused.
func (a *access) saysInJSON(ctx context.Context, t *testing.T, command []string) {
	t.Helper()
	code, stdout, stderr, err := a.lab.Awsmigrate(ctx, testWriter{t}, command...)
	var said struct {
		Kind                              string
		Code                              int
		Reason, Object, Seen, Wanted, Fix string
	}
	if err := json.Unmarshal([]byte(stdout), &said); err != nil {
		t.Errorf("stdout is not one document: %v\n%s%s", err, stdout, stderr)
	}
	if err != nil || code != 10 || said.Kind != "Error" || said.Code != 10 || said.Reason != "Unauthorized" || said.Object == "" || said.Seen == "" || said.Wanted == "" || said.Fix == "" {
		t.Errorf("exit %d, %v: %+v", code, err, said)
	}
}

// grant takes away at P2 what kube-controller-manager needs for the migration lease,
// and does then what the refusal says.
func (a *access) grant(ctx context.Context, t *testing.T) {
	since := time.Now()
	a.taken = since
	must(t, a.lab.DeleteGrant(ctx))
	nobodyRuns(ctx, t, a.lab, since)
	command := run("--no-etcd-snapshot", "--until", "cordon")
	code, _, stderr, err := a.lab.Awsmigrate(ctx, testWriter{t}, command...)
	_, commands, found := strings.Cut(stderr, "in the cluster that is migrated: ")
	if err != nil || code != 3 || !found || !strings.Contains(stderr, "may not use the migration lease") {
		t.Fatalf("exit %d, %v; wanted 3, the cause and its fix\n%s", code, err, stderr)
	}
	commands, _, _ = strings.Cut(commands, "\n")
	clusterUntouched(t, a.lab, since)
	must(t, a.lab.Shell(ctx, testWriter{t}, "downstream", commands))
	refuses(ctx, t, a.lab, scenario.Refusal{Args: command})
	runBy(ctx, t, a.lab, since, scenario.KubeControllerManager, scenario.Service, scenario.Route, scenario.Lifecycle)
	a.given = time.Now()
	a.standsAt(ctx, t, "P2")
}

// clustersToken ends a token of the cluster's own while the CCM is installed.
func (a *access) clustersToken(ctx context.Context, t *testing.T) {
	account, err := a.lab.NewServiceAccount(ctx, "migrator")
	must(t, err)
	file, err := account.Login(ctx)
	must(t, err)
	command := run("--no-etcd-snapshot", "--downstream-kubeconfig", file, "--until", "install-ccm")
	first, err := a.lab.Start(ctx, testWriter{t}, command...)
	must(t, err)
	inTheMiddle(ctx, t, first, "install-ccm")
	must(t, account.Revoke(ctx))
	ends(ctx, t, first, 10, "does not accept these credentials (401)")
	refuses(ctx, t, a.lab, scenario.Refusal{Code: 10, Args: command, Says: []string{"does not accept these credentials (401)"}})
	_, err = account.Login(ctx)
	must(t, err)
	refuses(ctx, t, a.lab, scenario.Refusal{Args: command})
	a.standsAt(ctx, t, "P3")
}

// proxy cuts Rancher's way to the cluster while the provider is switched: for good,
// for a while, and so that nothing answers.
func (a *access) proxy(ctx context.Context, t *testing.T) {
	command := run("--no-etcd-snapshot", "--until", "verify")
	first, err := a.lab.Start(ctx, testWriter{t}, append(command, "--timeout", "30s")...)
	must(t, err)
	inTheMiddle(ctx, t, first, "switch-provider")
	must(t, a.lab.Proxy(ctx, scenario.ProxyCut))
	ends(ctx, t, first, 10, "could not look: the API answers 503", "kubectl get --raw /readyz", "Rancher goes on with the rest by itself")
	refuses(ctx, t, a.lab, scenario.Refusal{Code: 10, Args: append(command, "--timeout", "30s"), Says: []string{"could not be read", "kubectl get --raw /readyz", "--downstream-kubeconfig"}})
	must(t, a.lab.Proxy(ctx, scenario.ProxyOpen))

	second, err := a.lab.Start(ctx, testWriter{t}, append(command, "--request-timeout", "5s")...)
	must(t, err)
	inTheMiddle(ctx, t, second, "switch-provider")
	for state, seen := range map[string]string{scenario.ProxyCut: "could not look: the API answers 503", scenario.ProxySilent: "could not look: no answer in time"} {
		must(t, a.lab.Proxy(ctx, state))
		says(ctx, t, second, seen)
		must(t, a.lab.Proxy(ctx, scenario.ProxyOpen))
	}
	ends(ctx, t, second, 0)
	a.standsAt(ctx, t, "P4")
}

// secret replaces the kubeconfig in Rancher's Secret, from which a run past
// Rancher's proxy has its way to the cluster, while leader migration is turned off: the
// run reads it again, and goes on.
func (a *access) secret(ctx context.Context, t *testing.T) {
	command := run("--no-etcd-snapshot")
	first, err := a.lab.StartAs(ctx, "management", testWriter{t}, command...)
	must(t, err)
	inTheMiddle(ctx, t, first, "disable-leader-migration")
	must(t, a.lab.RotateKubeconfig(ctx))
	ends(ctx, t, first, 0)
	a.standsAt(ctx, t, "P5")
}

// standsAt asks awsmigrate: the grant is by hand from the second part on.
func (a *access) standsAt(ctx context.Context, t *testing.T, position string) {
	t.Helper()
	refuses(ctx, t, a.lab, scenario.Refusal{Args: []string{"rke2", "status", "--cluster", "demo"}, Says: []string{"now    " + position}})
}

// inTheMiddle waits until a run waits in a step for what it has begun.
func inTheMiddle(ctx context.Context, t *testing.T, run *scenario.Run, step string) {
	t.Helper()
	must(t, scenario.Until(ctx, "the run to wait in "+step, func(context.Context) (bool, string, error) {
		if strings.Count(run.Stdout(), "◐  "+step) >= 2 {
			return true, "", nil
		}
		if err := run.Ended(); err != nil {
			t.Fatalf("%v:\n%s%s", err, run.Stdout(), run.Stderr())
		}
		return false, "awsmigrate runs", nil
	}))
}
