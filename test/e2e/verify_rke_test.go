package e2e

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// auditedRKE audits a healthy cluster that rke made: with all rights, as a user who may not
// read the Secret with rke's state, and as one who may read next to nothing. Checks of the file
// are judged in every case, and a check without its data is neither ok nor failed.
func auditedRKE(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	bundle := filepath.Join(t.TempDir(), "bundle.json")
	code, live := auditOf(ctx, t, lab, "--config", lab.ClusterFile, "--dump", bundle)
	if code != 0 || live.Position != "P0" || len(live.wrong()) > 0 {
		t.Errorf("exit %d at %s, wrong %v", code, live.Position, live.wrong())
	}
	if code, saved := auditOf(ctx, t, lab, "--from", bundle); code != 0 || len(saved.wrong()) > 0 || len(saved.Checks) != len(live.Checks) {
		t.Errorf("judged from the bundle: exit %d, wrong %v, %d checks", code, saved.wrong(), len(saved.Checks))
	}
	kubeconfig, err := lab.GrantAudit(ctx, "../../docs/clusterrole-readonly.yaml", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	partly(t, lab, kubeconfig, []string{"AWSM-103", "AWSM-727", "AWSM-113"}, []string{"AWSM-721", "AWSM-751", "AWSM-742", "AWSM-301", "AWSM-401"})
	if err := lab.TakeAudit(ctx, "ClusterRoleBinding", "", "awsmigrate-audit"); err != nil {
		t.Fatal(err)
	}
	partly(t, lab, kubeconfig, []string{"AWSM-103", "AWSM-301", "AWSM-401", "AWSM-213"}, []string{"AWSM-721", "AWSM-751"})
}

// partly checks that some checks are unknown and others ok, that none fails, and that the exit
// code is 10.
func partly(t *testing.T, lab *scenario.Lab, kubeconfig string, unknown, ok []string) {
	t.Helper()
	var code int
	var report auditReport
	err := scenario.Until(within(t, 5*time.Minute), "the rights to be known", func(ctx context.Context) (bool, string, error) { // authorizers see a new binding a moment later
		var err error
		if code, report, err = audit(ctx, lab, "--config", lab.ClusterFile, "--kubeconfig", kubeconfig); err != nil {
			return false, "", err
		}
		for _, id := range unknown {
			if status := report.status(id); status != "unknown" {
				return false, id + " is " + status, nil
			}
		}
		for _, id := range ok {
			if status := report.status(id); status != "ok" {
				return false, id + " is " + status, nil
			}
		}
		return true, "", nil
	})
	if err != nil || code != 10 {
		t.Errorf("exit %d, want 10: %v", code, err)
	}
	for _, c := range report.Checks {
		if slices.Contains([]string{"fail", "warn"}, c.Status) {
			t.Errorf("%s is %s: %v", c.ID, c.Status, c.Findings)
		}
	}
}
