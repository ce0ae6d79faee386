package cli

import (
	"bytes"
	"strings"
	"testing"

	testingclock "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// duringStep returns a reading in which every check of a subject fails, and every check without
// one as far as others is set, while a run is in a step.
func duringStep(step journal.StepID, others bool) session.Reading {
	var own []verify.Bound
	for _, meta := range checklist.All() {
		meta.Applies = nil
		failing := len(meta.Subjects) > 0 || others
		own = append(own, verify.Bind(failing, verify.Check[bool]{Meta: meta, Judge: func(fails bool) []verify.Finding {
			if fails {
				return []verify.Finding{{Status: verify.Fail, Object: "Node a", Seen: "the old argument", Fix: "remove the file"}}
			}
			return nil
		}})...)
	}
	seen := session.Reading{Inspection: audit.Inspection{Own: own, Input: evidence.Input{Position: position.Result{Position: position.P1}}}, At: auditTime}
	if step != "" {
		seen.Run = &runner.Account{By: "root on vm", Life: runner.LifeWorks, Renewed: auditTime, Announcement: runner.Announcement{Step: step, Since: auditTime}}
		seen.Changing = procedure.Changes(migration.Options{}, step)
	}
	return seen
}

func judged(t *testing.T, seen session.Reading) verifyview.AuditDocument {
	t.Helper()
	v := &auditor{app: &app.App{}, clock: testingclock.NewFakeClock(auditTime)}
	return v.document(seen, verify.RunAll(t.Context(), seen.Own, verify.Options{Position: position.P1}))
}

// A check is pending only while a step of a living run changes what it judges.
func TestDocument_duringRun_defersChangedSubjects(t *testing.T) {
	for name, tt := range map[string]struct {
		step    journal.StepID
		others  bool
		pending string // a check that is pending, or empty
		failed  string // a check that fails, or empty
	}{
		"enable_rolloutIsPending":        {migration.StepEnable, false, "AWSM-111", "AWSM-604"},
		"install_ccmIsPending":           {migration.StepInstall, false, "AWSM-604", "AWSM-111"},
		"switch_kubeletsArePending":      {migration.StepSwitch, false, "AWSM-311", "AWSM-604"},
		"switch_safetyCheckFails":        {migration.StepSwitch, true, "AWSM-311", "AWSM-121"},
		"preflight_changesNothing_fails": {migration.StepPreflight, false, "", "AWSM-111"},
		"noRun_fails":                    {"", false, "", "AWSM-111"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := judged(t, duringStep(tt.step, tt.others))
			status := map[string]verify.Status{}
			for _, result := range doc.Results {
				status[result.ID] = result.Status
			}
			if doc.Code != 3 || tt.pending != "" && status[tt.pending] != verify.Pending || status[tt.failed] != verify.Fail || tt.pending == "" && doc.Counts[verify.Pending] > 0 {
				t.Errorf("exit %d, %s is %s, %s is %s", doc.Code, tt.pending, status[tt.pending], tt.failed, status[tt.failed])
			}
		})
	}
}

// Pending results alone end with exit 0, and show what was seen, the step and no fix.
func TestDocument_onlyPending_endsWithZero(t *testing.T) {
	seen := duringStep(migration.StepEnable, false)
	for i := range seen.Own {
		if seen.Own[i].ID == "AWSM-111" {
			seen.Own = seen.Own[i : i+1]
			break
		}
	}
	doc := judged(t, seen)
	var out bytes.Buffer
	if err := verifyview.WriteAudit(console.Streams{Out: &out}, "text", doc); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if doc.Code != 0 || view.ExitCode(doc.Outcome()) != 0 || !strings.Contains(text, "◐  AWSM-111  Node a: the old argument") ||
		!strings.Contains(text, "run    root on vm; in step enable-leader-migration") || !strings.Contains(text, "it is checked again after the step") || strings.Contains(text, "fix ") {
		t.Errorf("exit %d:\n%s", doc.Code, text)
	}
}
