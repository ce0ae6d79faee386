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

// TestAccessIsLost runs one migration to its end and breaks one access path after another while
// it runs. Rancher's token and the cluster's own token expire, the grant is deleted, Rancher's
// proxy is cut, and the kubeconfig in the Secret is replaced. A run that cannot continue
// reports the missing access and its fix. After that fix the same command continues. No
// controller runs twice, and each has a process except while the grant is missing.
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
			t.FailNow() // the next part begins at the end of this one
		}
		t.Logf("%s: %.0f s", part.name, time.Since(began).Seconds())
	}
	judgeEnd(ctx, t, lab, before, start)
	a.nothingWasMissing(ctx, t, start)
}

// access holds the state that the parts share.
type access struct {
	lab *scenario.Lab
	// taken is the time at which the grant was deleted; given is when the controllers that it
	// had stopped ran again.
	taken, given time.Time
}

// missing is longer than any hand-over with the lab's short leases takes on a busy machine.
const missing = 2 * time.Minute

// nothingWasMissing fails the test if a controller had no process for long while the grant
// existed, or if the CCM does not run the controllers at the end. judgeEnd has checked that
// none ran twice.
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

// ranchersToken revokes the operator's token in Rancher during the rollout of the flag. The run
// then has no access to either API server.
func (a *access) ranchersToken(ctx context.Context, t *testing.T) {
	command := run("--no-etcd-snapshot", "--until", "enable-leader-migration")
	first, err := a.lab.Start(ctx, testWriter{t}, command...)
	must(t, err)
	inTheMiddle(ctx, t, first, "enable-leader-migration")
	must(t, a.lab.RevokeTokens(ctx))
	ends(ctx, t, first, 10, "does not accept these credentials (401)", "Rancher continues with the rest", "next:    awsmigrate "+strings.Join(command, " "))
	refuses(ctx, t, a.lab, scenario.Refusal{Code: 10, Args: command, Says: []string{"Cluster fleet-default/demo", "does not accept these credentials (401)"}})
	a.saysInJSON(ctx, t, append(command, "-o", "json"))
	must(t, a.lab.Login(ctx))
	refuses(ctx, t, a.lab, scenario.Refusal{Args: command})
	a.standsAt(ctx, t, "P2")
}

// saysInJSON checks the document of a refused run.
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

// grant deletes at P2 the rights of kube-controller-manager to the migration lease, then runs
// the commands that the refusal prints.
func (a *access) grant(ctx context.Context, t *testing.T) {
	since := time.Now()
	a.taken = since
	must(t, a.lab.DeleteGrant(ctx))
	waitForNoController(ctx, t, a.lab, since)
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

// clustersToken revokes a token of the cluster itself while the CCM is installed.
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

// proxy interrupts Rancher's connection to the cluster while the provider is switched:
// permanently, for a while, and without any answer.
func (a *access) proxy(ctx context.Context, t *testing.T) {
	command := run("--no-etcd-snapshot", "--until", "verify")
	first, err := a.lab.Start(ctx, testWriter{t}, append(command, "--timeout", "30s")...)
	must(t, err)
	inTheMiddle(ctx, t, first, "switch-provider")
	must(t, a.lab.Proxy(ctx, scenario.ProxyCut))
	ends(ctx, t, first, 10, "could not look: the API answers 503", "kubectl get --raw /readyz", "Rancher continues with the rest")
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

// secret replaces the kubeconfig in Rancher's Secret while leader migration is turned off. A
// run that bypasses Rancher's proxy reads its access there: it reads the Secret again and
// continues.
func (a *access) secret(ctx context.Context, t *testing.T) {
	command := run("--no-etcd-snapshot")
	first, err := a.lab.StartAs(ctx, "management", testWriter{t}, command...)
	must(t, err)
	inTheMiddle(ctx, t, first, "disable-leader-migration")
	must(t, a.lab.RotateKubeconfig(ctx))
	ends(ctx, t, first, 0)
	a.standsAt(ctx, t, "P5")
}

// standsAt checks the position by `status`, because the Role of the lab no longer has
// awsmigrate's name after the second part.
func (a *access) standsAt(ctx context.Context, t *testing.T, position string) {
	t.Helper()
	refuses(ctx, t, a.lab, scenario.Refusal{Args: []string{"rke2", "status", "--cluster", "demo"}, Says: []string{"now    " + position}})
}

// inTheMiddle waits until a run waits in a step for a change that it has made.
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
