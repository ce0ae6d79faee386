package recording

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func reportOf(results ...verify.Result) verify.Report {
	r := verify.Report{Position: position.P1, Results: results, Counts: map[verify.Status]int{}}
	for _, res := range results {
		r.Counts[res.Status]++
	}
	return r
}

func result(id string, status verify.Status, findings ...verify.Finding) verify.Result {
	return verify.Result{Meta: verify.Meta{ID: id, Title: "title of " + id, Fix: "fix of " + id}, Status: status, Findings: findings}
}

// AuditOf returns all results that are not ok, the worst first, and why checks were skipped;
// not those of other positions, and no secret.
func TestAuditOf(t *testing.T) {
	skipped, elsewhere := result("AWSM-4", verify.Skip), result("AWSM-5", verify.Skip)
	skipped.Reason, elsewhere.OtherPosition = "skipped on request: because", true
	got := AuditOf(reportOf(result("AWSM-1", verify.OK), result("AWSM-2", verify.Warn, verify.Warning("Node a", "password=hunter2", "", "")), skipped, elsewhere,
		result("AWSM-3", verify.Unknown, verify.Undecided("Node b", "could not look")), result("AWSM-6", verify.Fail, verify.Notice("Node c", "well"), verify.Failure("Node d", "is gone", "there", "put it back"))))
	want := record.Audit{Position: "P1", Counts: map[string]int{"ok": 1, "warn": 1, "skip": 2, "unknown": 1, "fail": 1}, Elsewhere: 1, Findings: []record.Finding{
		{Check: "AWSM-6", Title: "title of AWSM-6", Status: "fail", Object: "Node d", Seen: "is gone", Wanted: "there", Fix: "put it back"},
		{Check: "AWSM-3", Title: "title of AWSM-3", Status: "unknown", Object: "Node b", Seen: "could not look", Fix: verify.FixUnknown},
		{Check: "AWSM-2", Title: "title of AWSM-2", Status: "warn", Object: "Node a", Seen: "password=REDACTED", Fix: "fix of AWSM-2"},
		{Check: "AWSM-4", Title: "title of AWSM-4", Status: "skip", Seen: "skipped on request: because"},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	many := make([]verify.Finding, maxFindings+3)
	for i := range many {
		many[i] = verify.Failure("", strings.Repeat("long ", 1000), "", "")
	}
	if got := AuditOf(reportOf(result("AWSM-7", verify.Fail, many...))); len(got.Findings) != maxFindings || got.Left != 3 || len([]rune(got.Findings[0].Seen)) > maxText {
		t.Errorf("%d findings, %d left", len(got.Findings), got.Left)
	}
}

// Both audits of a run are recorded with their step. A repeated result is recorded once, and an
// audit outside a step is ignored.
func TestAudited_steps_recordedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	d := open(t, file, "")
	to := d.WrapSink(nobody(), About{Undo: true, Attempt: "uid/1/"})
	d.Audited(reportOf(result("AWSM-9", verify.Fail)))
	to.Emit(runner.Event{Type: runner.RunStarted, Message: "r1", Position: "P0"})
	to.Emit(runner.Event{Type: runner.StepStarted, Step: "preflight"})
	waits := reportOf(result("AWSM-1", verify.Unknown))
	d.Audited(waits)
	d.Audited(waits)
	d.Audited(reportOf(result("AWSM-2", verify.OK)))
	to.Emit(runner.Event{Type: runner.StepFinished, Step: "preflight", Compared: []runner.Compared{{Kind: "nodes", Same: 2, Of: 3, Others: []string{"a"}}}})
	to.Emit(runner.Event{Type: runner.StepStarted, Step: "switch-provider", Changes: []runner.Change{{Object: "Cluster a/b", Diff: "- 1\n+ 2\n"}, {Object: "Node n", Before: false, After: true}}})
	to.Emit(runner.Event{Type: runner.StepFinished, Step: "switch-provider", Changes: []runner.Change{{Object: "Cluster a/b", Diff: "- 1\n+ 3\n"}}})
	to.Emit(runner.Event{Type: runner.StepStarted, Step: "verify"})
	d.Audited(reportOf(result("AWSM-2", verify.OK)))
	to.Emit(runner.Event{Type: runner.StepFinished, Step: "verify"})
	to.Emit(runner.Event{Type: runner.RunFinished, Message: "r1", Position: "P4"})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	run := read(t, file).Runs[0]
	if len(run.Audits) != 2 || run.Audits[0].Step != "preflight" || run.Audits[1].Step != "verify" || run.Audits[0].Counts["ok"] != 1 {
		t.Errorf("audits %+v", run.Audits)
	}
	if run.Goal != record.Undo || run.Attempt != "uid/1/" || len(run.Steps[0].Compared) != 1 || run.Steps[0].Compared[0].Same != 2 {
		t.Errorf("%+v", run)
	}
	// The written change replaces the planned change of the object.
	if len(run.Edits) != 2 || run.Edits[0].Object != "Node n" || run.Edits[0].Written || run.Edits[1].Diff != "- 1\n+ 3" || !run.Edits[1].Written {
		t.Errorf("edits %+v", run.Edits)
	}
}
