package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// auditReport holds the fields of `verify -o json` that the tests read.
type auditReport struct {
	Kind     string
	Position string
	Code     int
	Checks   []auditedCheck
}

// auditedCheck is one check of an auditReport.
type auditedCheck struct {
	ID, Status, Fix string
	Findings        []struct{ Object, Status, Seen, Fix string }
}

// isWrong reports whether a check is neither ok nor skipped. After the switch the lab's end
// state overrides cannot start on some later releases, and AWSM-122 warns of them on a healthy
// cluster.
func (c auditedCheck) isWrong() bool {
	return c.Status != "ok" && c.Status != "skip" && (c.ID != "AWSM-122" || c.Status != "warn")
}

// wrong returns the checks that are wrong.
func (r auditReport) wrong() []string {
	ids := []string{}
	for _, c := range r.Checks {
		if c.isWrong() {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func (r auditReport) status(id string) string {
	for _, c := range r.Checks {
		if c.ID == id {
			return c.Status
		}
	}
	return "not there"
}

func auditOf(ctx context.Context, t *testing.T, lab *scenario.Lab, args ...string) (int, auditReport) {
	t.Helper()
	code, report, err := audit(ctx, lab, args...)
	if err != nil {
		t.Fatal(err)
	}
	return code, report
}

// audit runs verify and parses its document, which repeats the exit code.
func audit(ctx context.Context, lab *scenario.Lab, args ...string) (int, auditReport, error) {
	code, stdout, stderr, err := lab.Awsmigrate(ctx, silent{}, append([]string{"verify", "-o", "json"}, args...)...)
	if err != nil {
		return code, auditReport{}, err
	}
	var report auditReport
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		return code, report, fmt.Errorf("verify %v: no document: %w\n%s%s", args, err, stdout, stderr)
	}
	if report.Kind == "AuditReport" && report.Code != code {
		return code, report, fmt.Errorf("verify %v: exit %d, the document says %d", args, code, report.Code)
	}
	return code, report, nil
}

// silent discards the output of a command whose document is parsed.
type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }

// auditedAt audits a healthy cluster in every way: exit 0, one screen, nothing written, only
// reading calls to AWS, and the same result from a bundle.
func auditedAt(ctx context.Context, t *testing.T, lab *scenario.Lab, position string, changes []change) {
	since := time.Now()
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "verify", "--cluster", "demo")
	if err != nil || code != 0 || strings.Count(stdout, "\n") > 30 || !strings.Contains(stdout, "now    "+position+" ") {
		t.Errorf("at %s: exit %d, %d lines, %v\n%s%s", position, code, strings.Count(stdout, "\n"), err, stdout, stderr)
	}
	if position == "P0" {
		onThePage(t, "healthy", stdout)
	}
	bundle := filepath.Join(t.TempDir(), "bundle.json")
	code, live := auditOf(ctx, t, lab, "--cluster", "demo", "--dump", bundle)
	if code != 0 || live.Position != position || len(live.wrong()) > 0 {
		t.Errorf("at %s: exit %d at %s, wrong %v", position, code, live.Position, live.wrong())
	}
	if info, err := os.Stat(bundle); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the bundle: %v, %v", info, err)
	}
	code, saved := auditOf(ctx, t, lab, "--from", bundle)
	if code != 0 || fmt.Sprint(saved.Checks) != fmt.Sprint(live.Checks) || saved.Position != live.Position {
		t.Errorf("judged from the bundle: exit %d, %v; live %v", code, saved, live)
	}
	for _, format := range []string{"wide", "short", "yaml", "junit"} {
		if code, _, _, err := lab.Awsmigrate(ctx, silent{}, "verify", "--from", bundle, "-o", format); err != nil || code != 0 {
			t.Errorf("-o %s: exit %d, %v", format, code, err)
		}
	}
	calls, err := lab.Calls(ctx, "awsmigrate")
	if err != nil {
		t.Error(err)
	}
	for _, call := range calls {
		_, action, _ := strings.Cut(call, ":")
		if !slices.ContainsFunc([]string{"Describe", "Get", "List", "Simulate"}, func(verb string) bool { return strings.HasPrefix(action, verb) }) {
			t.Errorf("an audit called %s", call)
		}
	}
	writes, err := lab.Writes(since, "awsmigrate")
	if err != nil || len(writes) > 0 {
		t.Errorf("an audit wrote %v, %v", writes, err)
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) { c.try(ctx, t, lab) })
	}
}

// auditedWithRights audits the cluster as a user who has the shipped role, and as one who lacks
// a part of it.
func auditedWithRights(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	kubeconfig, err := lab.GrantAudit(ctx, "../../docs/clusterrole-readonly.yaml", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name            string
		kind, ns, taken string // a binding, taken away before
		unknown         []string
	}{
		{"all of it", "", "", "", nil},
		{"without Helm's Secrets", "ClusterRoleBinding", "", "awsmigrate-audit-helm", []string{"AWSM-601", "AWSM-615"}},
		{"without kube-system", "RoleBinding", "kube-system", "awsmigrate-audit", []string{"AWSM-206", "AWSM-601"}},
		{"without anything", "ClusterRoleBinding", "", "awsmigrate-audit", []string{"AWSM-301", "AWSM-213"}},
	} {
		if tt.kind != "" {
			if err := lab.TakeAudit(ctx, tt.kind, tt.ns, tt.taken); err != nil {
				t.Fatal(err)
			}
		}
		var code int
		var report auditReport
		err := scenario.Until(within(t, 5*time.Minute), tt.name, func(ctx context.Context) (bool, string, error) { // authorizers see a new binding a moment later
			var err error
			if code, report, err = audit(ctx, lab, "--kubeconfig", kubeconfig); err != nil {
				return false, "", err
			}
			for _, id := range tt.unknown {
				// A check of other positions is skipped, whatever could be read.
				if status := report.status(id); report.Kind == "AuditReport" && status != "unknown" && status != "skip" {
					return false, id + " is " + status, nil
				}
			}
			return true, "", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range report.Checks {
			if c.Status == "fail" || c.Status == "unknown" && tt.kind == "" {
				t.Errorf("%s: %s is %s: %v", tt.name, c.ID, c.Status, c.Findings)
			}
		}
		if want := map[bool]int{true: 0, false: 10}[tt.kind == ""]; code != want {
			t.Errorf("%s: exit %d, want %d", tt.name, code, want)
		}
	}
}
