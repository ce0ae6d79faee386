//go:build slow

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// breakage is one fault of a cluster. Its lines are run by a shell, in the environment of an
// administrator, with the functions in words.
type breakage struct {
	name string
	at   string // the positions at which it can happen, or empty for all
	seed string
	// until is a command that succeeds once the lab shows the breakage: a process exited, or a
	// Node was marked. If it is empty, the breakage exists when seed has ended.
	until string
	// speak lists the checks that must not be green.
	speak []string
	// speakAt replaces speak at single positions.
	speakAt map[string][]string
	// refused is the exit code of an audit that is refused.
	refused int
	heal    string // must also work after a fix that did the same
	// left are checks that still warn after their own command, because the stopped workload
	// still exists and could be started again.
	left []string
}

func (b breakage) checks(position string) []string {
	if ids, own := b.speakAt[position]; own {
		return ids
	}
	return b.speak
}

// breakages returns all breakages, in the order in which they are tried at each position.
func breakages() []breakage {
	return slices.Concat(brokenAWS(), brokenBalancers(), brokenNodes(), brokenManagers(), brokenCCM(), brokenRancher())
}

// keptLab is the environment variable that names a running lab, for work on this suite. The lab
// is used at its current position and left running.
const keptLab = "AWSMIGRATE_KEPT_LAB"

// TestSeededBreakages takes one lab to P0, P3 and P5. At each it breaks one thing after another
// and audits. No check may be green if the lab's own processes, its observer or its EC2
// contradict it. The command of a failed check is run by a shell in the state for which it was
// printed. It must turn that check green and no other one red. After each breakage the audit
// equals that of the healthy cluster again.
func TestSeededBreakages(t *testing.T) {
	if dir := os.Getenv(keptLab); dir != "" {
		bin, err := filepath.Abs("../../bin")
		must(t, err)
		lab, err := scenario.Open(t.Context(), bin, dir, testWriter{t})
		must(t, err)
		position, err := lab.Standing(t.Context())
		must(t, err)
		seededAt(within(t, time.Hour), t, lab, position)
		return
	}
	lab := boot(t, "--lease", quick)
	ctx := within(t, time.Hour)
	seededAt(ctx, t, lab, "P0")
	for _, stage := range []struct{ until, position string }{{"install-ccm", "P3"}, {"disable-leader-migration", "P5"}} {
		migrate(ctx, t, lab, 0, "--no-etcd-snapshot", "--until", stage.until)
		seededAt(ctx, t, lab, stage.position)
	}
}

// seededAt tries every breakage of a position.
func seededAt(ctx context.Context, t *testing.T, lab *scenario.Lab, position string) {
	if stands, err := lab.Standing(ctx); err != nil || stands != position {
		t.Fatalf("the lab is at %s, %v; wanted %s", stands, err, position)
	}
	admin := newAdministrator(ctx, t, lab, position)
	healthy := admin.audit(ctx, t)
	known := map[string][]string{"P3": {"AWSM-308"}}[position] // the run's own cordons, which it removes after the switch
	if wrong := healthy.wrong(); healthy.Position != position || !slices.Equal(wrong, slices.Concat([]string{}, known)) {
		t.Fatalf("the healthy cluster is audited as at %s, wrong %v", healthy.Position, wrong)
	}
	var table []string
	for _, b := range breakages() {
		if b.at != "" && !strings.Contains(b.at, position) {
			continue
		}
		t.Run(position+"/"+b.name, func(t *testing.T) {
			began := time.Now()
			row := admin.try(ctx, t, b, position, healthy)
			table = append(table, fmt.Sprintf("| %s | %s | %s (%.0f s)", b.name, position, row, time.Since(began).Seconds()))
		})
	}
	t.Logf("at %s:\n%s", position, strings.Join(table, "\n"))
}

// try makes one breakage, judges the audit of it, follows the commands, and heals.
func (a *administrator) try(ctx context.Context, t *testing.T, b breakage, position string, healthy auditReport) string {
	a.sh(ctx, t, b.seed)
	defer a.heal(ctx, t, b, healthy)
	if b.until != "" {
		must(t, scenario.Until(ctx, b.until, func(ctx context.Context) (bool, string, error) {
			out, err := a.run(ctx, b.until)
			return err == nil, strings.TrimSpace(out), nil
		}))
	}
	broken := a.audit(ctx, t)
	for _, id := range b.checks(position) {
		if status := broken.status(id); status == "ok" || status == "skip" {
			t.Errorf("%s is %s", id, status)
		}
	}
	switch {
	case b.refused != 0:
		if broken.Code != b.refused || len(broken.Checks) > 0 {
			t.Errorf("exit %d, %d checks; wanted %d and none", broken.Code, len(broken.Checks), b.refused)
		}
		return fmt.Sprintf("exit %d", broken.Code)
	case len(broken.wrong()) == len(healthy.wrong()):
		t.Errorf("the audit does not report it, exit %d", broken.Code)
	}
	var done []string
	for _, c := range broken.commandFixes(healthy) {
		done = append(done, a.follow(ctx, t, c, broken, b.left))
	}
	return fmt.Sprintf("%s | %s", strings.Join(broken.turnedChecks(healthy), " "), strings.Join(done, "; "))
}

// heal heals a breakage and waits until the audit is as before.
func (a *administrator) heal(ctx context.Context, t *testing.T, b breakage, healthy auditReport) {
	t.Helper()
	a.sh(ctx, t, b.heal)
	var last auditReport
	if err := a.settles(ctx, t, "the audit to be as before", func(r auditReport) []string {
		last = r
		return compareAudits(healthy, r)
	}); err != nil {
		t.Fatalf("not healed: %v: %+v", err, last.findings())
	}
}

// settleFor bounds how long controllers may take to follow a fix or a heal.
const settleFor = 3 * time.Minute

// settles audits until left returns nothing.
func (a *administrator) settles(ctx context.Context, t *testing.T, what string, left func(auditReport) []string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, settleFor)
	defer cancel()
	return scenario.Until(ctx, what, func(ctx context.Context) (bool, string, error) {
		over := left(a.audit(ctx, t))
		return len(over) == 0, strings.Join(over, ", "), nil
	})
}

// compareAudits returns the checks whose status differs between two audits.
func compareAudits(a, b auditReport) []string {
	var ids []string
	for _, c := range a.Checks {
		if now := b.status(c.ID); now != c.Status {
			ids = append(ids, c.ID+" is "+now)
		}
	}
	return ids
}
