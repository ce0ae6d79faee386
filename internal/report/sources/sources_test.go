package sources

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// kept returns a journal with every kind of run.
func kept(t *testing.T) journal.State {
	t.Helper()
	packed, err := continuity.Fingerprint{Schema: 1, Nodes: []continuity.NodePrint{{Name: "cp-0", UID: "u0", ProviderID: "aws:///a/i-0", Addresses: []string{"InternalIP=10.0.0.1"}}},
		Services: []continuity.ServicePrint{{Namespace: "shop", Name: "front", Hostnames: []string{"a.elb"}}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	note, err := json.Marshal(packed)
	if err != nil {
		t.Fatal(err)
	}
	return journal.State{
		Target: journal.Target{Kind: "rke2", Name: "demo", Namespace: "fleet-default", UID: "u"},
		Runs: []journal.Run{
			{ID: "r1", Who: "ann@laptop", Command: "awsmigrate rke2 --cluster demo", Start: "2026-11-21T09:00:00Z", Outcome: "died"},
			{ID: "r2", Who: "bob@bastion", Command: "awsmigrate rke2 --cluster demo", Start: "2026-11-21T10:00:00Z", End: "2026-11-21T10:30:00Z", Outcome: "stopped", Step: "switch-provider", Reason: "NoProgress", Verified: []journal.StepID{"install-ccm"}},
			{ID: "r3", Who: "bob@bastion", Command: "awsmigrate rke2 undo --cluster demo", Start: "2026-11-21T11:00:00Z", End: "2026-11-21T11:30:00Z", Outcome: "done", Verified: []journal.StepID{"undo-switch-provider", "verify"}},
			{ID: "r4", Who: "awsmigrate@pod", Attempt: "uid/2/", Command: "kubectl annotate", Start: "2026-11-21T12:00:00Z", End: "2026-11-21T12:10:00Z", Outcome: "interrupted", Step: "install-ccm", Reason: "Held"},
			{ID: "r5", Who: "awsmigrate@pod", Attempt: "uid/2/", Guard: true, Start: "2026-11-21T13:00:00Z", End: "2026-11-21T13:10:00Z", Outcome: "guarded"},
			{ID: "r6", Who: "ann@laptop", Start: "2026-11-21T14:00:00Z"},
		},
		Approvals: []journal.Approval{{Run: "r2", Who: "bob@bastion", Time: "2026-11-21T10:00:10Z", Plan: "sha256:1"}},
		Intents:   []journal.Intent{{Run: "r1", Step: "switch-provider", What: "patch Cluster fleet-default/demo", Object: "Cluster fleet-default/demo", Time: "2026-11-21T09:05:00Z"}},
		Notes:     map[string]json.RawMessage{guard.FingerprintNote: note},
	}
}

// The report on a journal has user, time, command and outcome of each run, and lists everything
// else as unknown.
func TestJournal(t *testing.T) {
	r := Journal(kept(t), time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC))
	if r.Verdict() != judge.NotSeen {
		t.Errorf("verdict %q of unwatched times", r.Verdict())
	}
	var sentences []string
	for _, run := range r.Runs {
		sentences = append(sentences, report.RunSentence(run))
	}
	want := []string{
		"The migration died: no end is recorded.",
		"The migration failed in step switch-provider: the journal has the reason NoProgress. It took over from run r1 of ann@laptop, which died in step switch-provider: no end is recorded.",
		"The run of the undo finished.",
		"The migration by the controller was stopped in step install-ccm: the journal has the reason Held.",
		"The run that only watched by the controller finished.",
		"The run has no end here: it continues, or it was killed.",
	}
	if got := strings.Join(sentences, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("runs:\n%s\nwanted\n%s", got, strings.Join(want, "\n"))
	}
	page, err := report.HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("AWSMIGRATE_REPORTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "journal.html"), page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for form, text := range map[string]string{"page": string(page), "Markdown": inMarkdown(t, r)} {
		for _, wanted := range []string{"Runs of awsmigrate on demo", "is not known: a journal has the runs", "run r1 of ann@laptop, which died in step switch-provider", "ClusterMigration uid/2/",
			"sha256:1", "awsmigrate rke2 undo --cluster demo", "the state of 1 Node and 1 load balancer", "patch Cluster fleet-default/demo", "whether two ever did at once", "r3", "the run ended in it", "seen to its end"} {
			if !strings.Contains(text, wanted) {
				t.Errorf("%q is not in its %s", wanted, form)
			}
		}
		for _, bad := range []string{"No two processes", "No process was seen", "was not recorded", "<svg", "00:00:00"} {
			if strings.Contains(text, bad) {
				t.Errorf("%q is in its %s", bad, form)
			}
		}
	}
	if _, as := report.As("text", r); as != nil {
		t.Error(as)
	}
	empty := Journal(journal.State{Target: journal.Target{Name: "demo"}}, time.Time{})
	if len(empty.Lines) != 1 || len(empty.Others) != 1 || empty.Verdict() != judge.NotSeen {
		t.Errorf("an empty journal: %+v", empty)
	}
	broken := kept(t)
	broken.Notes[guard.FingerprintNote] = json.RawMessage(`"AAAA"`)
	if r := Journal(broken, time.Time{}); len(r.Others) != 1 || !strings.Contains(r.Others[0], "before the first write") {
		t.Errorf("a broken fingerprint: %q", r.Others)
	}
}

func inMarkdown(t *testing.T, r report.Report) string {
	t.Helper()
	text, err := report.Markdown(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The report on a bundle has the findings of its checks and the comparison, and no times.
func TestBundle(t *testing.T) {
	input := evidence.Input{Fingerprint: &continuity.Fingerprint{Schema: 1, Nodes: []continuity.NodePrint{{Name: "cp-0", UID: "u0"}, {Name: "cp-1", UID: "u1"}}}}
	input.Nodes = verify.Got([]downstream.Node{{Name: "cp-0", UID: "u0"}, {Name: "cp-1", UID: "another"}})
	found := verify.Report{Position: position.P3, Counts: map[verify.Status]int{verify.Fail: 1}, Results: []verify.Result{{Meta: verify.Meta{ID: "AWSM-1", Title: "it is well"}, Status: verify.Fail,
		Findings: []verify.Finding{verify.Failure("Node cp-1", "is another", "the same", "look")}}}}
	r := Bundle("demo", "u", []string{"demo   RKE2", "now    P3"}, time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), input, found)
	page, err := report.HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"page": string(page), "Markdown": inMarkdown(t, r)} {
		for _, wanted := range []string{"Audit of demo", "a bundle is one moment", "it is well", "Node cp-1", "is another", "1 failed; the cluster was at P3", "nodes unchanged: 1 of 2", "cp-1", "load balancers could not be compared", "2026-11-22T09:00:00Z"} {
			if !strings.Contains(text, wanted) {
				t.Errorf("%q is not in its %s", wanted, form)
			}
		}
		if strings.Contains(text, "No two processes") || strings.Contains(text, "<svg") {
			t.Errorf("a bundle is judged over time in its %s", form)
		}
	}
	if r.Verdict() != judge.NotSeen {
		t.Errorf("verdict %q", r.Verdict())
	}
	for _, c := range Bundle("demo", "", nil, time.Time{}, evidence.Input{}, found).Compared {
		if c.Unread == "" {
			t.Errorf("%+v of no fingerprint", c)
		}
	}
}

// Both directions have verify and uncordon, so these steps do not show the goal.
func TestGoals(t *testing.T) {
	for want, steps := range map[string][]journal.StepID{record.Undo: {"verify", "undo-install-ccm"}, record.Migrate: {"uncordon", "install-ccm"}, "": {"verify", "uncordon"}} {
		if got := goalOf(journal.State{}, journal.Run{ID: "r", Verified: steps}); got != want {
			t.Errorf("%v: %q, wanted %q", steps, got, want)
		}
	}
}
