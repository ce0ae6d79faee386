package report

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// stories returns typical runs, each derived from the clean one.
func stories(t testing.TB) map[string]Report {
	change := func(f func(*judge.Run)) Report {
		r := recording(t, "clean")
		f(&r.Runs[0])
		return Of(r, nil)
	}
	return map[string]Report{
		"clean": change(func(*judge.Run) {}),
		"failed": change(func(r *judge.Run) {
			r.Error, r.After = "no progress for 15m: Node cp-2 is not Ready", "between P3 and P4"
			last := &r.Steps[len(r.Steps)-1]
			last.Outcome, last.Message = record.Failed, "no progress for 15m: Node cp-2 is not Ready"
			r.Audits[0].Findings = append(r.Audits[0].Findings, record.Finding{Check: "AWSM-301", Title: "every Node has a ProviderID", Status: "fail", Object: "Node worker-3", Seen: "none", Wanted: "aws:///…", Fix: "see docs/checks.md"})
		}),
		"undo": change(func(r *judge.Run) {
			r.Goal, r.Command, r.Before, r.After = record.Undo, "awsmigrate rke2 undo --cluster prod", "P4", "P0"
			for i := range r.Steps {
				r.Steps[i].ID, r.Steps[i].Title = "undo-"+r.Steps[i].ID, "Undo it"
			}
			r.Audits = nil
		}),
		"takeover": change(func(r *judge.Run) {
			r.Former = &record.Former{ID: "20261121T085000Z-deadbeef", By: "ann@laptop", Outcome: "died", Step: "switch-provider"}
		}),
		"controller": change(func(r *judge.Run) {
			r.Attempt, r.By, r.Command = "4e5f/3/", "awsmigrate@awsmigrate-controller-0", "kubectl annotate clustermigration -n fleet-default prod"
		}),
		"undone":  change(func(r *judge.Run) { r.Error = "no room" }),
		"killed":  change(func(r *judge.Run) { r.Until, r.After = time.Time{}, "" }),
		"stopped": change(func(r *judge.Run) { r.Error, r.Stopped = "stopped on request before step verify", true }),
	}
}

// takenBack adds the undo of a failed run to its record.
func takenBack(r Report) Report {
	undo := r.Runs[0]
	undo.ID, undo.Goal, undo.Error, undo.Before, undo.After = "20261121T091900Z-00000002", record.Undo, "", "P3", "P0"
	r.Runs = append(r.Runs, undo)
	return r
}

// A report begins with the outcome of the run, and every story contains its cause.
func TestStories(t *testing.T) {
	says := map[string][]string{
		"clean": {"The run of the migration finished, P1 → P4.", "Migration, run 20261121T090020Z-0badcafe", "sha256:6b1f0c", "cloud-provider-name: external",
			"skipped on request: the policy is attached by another team", "AWSM-206", "70 ok, 1 with warnings, 2 skipped, 5 for other positions",
			"Cluster fleet-default/prod spec.rkeConfig.machineGlobalConfig", "as the plan had it when the step began", "patch Cluster fleet-default/prod",
			"The checks of step verify were not made: the run ended before it."},
		"failed":     {"The migration failed in step switch-provider: no progress for 15m: Node cp-2 is not Ready.", "every Node has a ProviderID", "between P3 and P4"},
		"undo":       {"The undo finished, P4 → P0.", "Undo, run 20261121T090020Z-0badcafe"},
		"takeover":   {"run 20261121T085000Z-deadbeef of ann@laptop, which died in step switch-provider: no end is recorded", "took over from", "The run of the migration finished, P1 → P4. It took over from run 20261121T085000Z-deadbeef"},
		"controller": {"The run of the migration by the controller finished", "Migration by the controller, run", "the controller, for ClusterMigration 4e5f/3/", "awsmigrate@awsmigrate-controller-0"},
		"undone":     {"The migration failed: no room.", "The undo finished, P3 → P0."},
		"killed":     {"The migration has no end here: it continues, or it was killed."},
		"stopped":    {"The migration was stopped: stopped on request before step verify."},
	}
	never := map[string][]string{
		"failed": {"migration finished", "✓</b><span>The"}, "undo": {"The migration", "The checks of step preflight"}, "clean": {"took over from"}, "killed": {"finished, P1"},
	}
	for name, r := range stories(t) {
		if name == "undone" {
			r = takenBack(r)
		}
		page := mustPage(t, r)
		keep(t, name+".html", []byte(page))
		for form, text := range map[string]string{"page": page, "Markdown": strings.NewReplacer("\\*", "*", "\\[", "[").Replace(mustMarkdown(t, r))} {
			for _, want := range says[name] {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %q is not in its %s", name, want, form)
				}
			}
			for _, bad := range never[name] {
				if strings.Contains(text, bad) {
					t.Errorf("%s: %q is in its %s", name, bad, form)
				}
			}
		}
	}
}

// keep writes a page to the folder in which a user wants to look at it.
func keep(t *testing.T, name string, page []byte) {
	t.Helper()
	folder := os.Getenv("AWSMIGRATE_REPORTS")
	if folder == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, " ", "-")), page, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Foreign diffs close no fence, and omitted lines are counted.
func TestDiffsAreBoundedAndFenced(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("+ x\n", maxLinesOfDiff+5), "\n")
	r := Report{Result: judge.Result{Runs: []judge.Run{{ID: "r", Goal: record.Migrate, Edits: []record.Edit{
		{Step: "s", Object: "o", Diff: "+ ```\n+ ````\n# heading\n@@ -1 +1 @@\n- gone", Written: true}, {Step: "s", Object: "long", Diff: many, Left: 3}, {Step: "s", Object: "bare"}}}}}}
	text := mustMarkdown(t, r)
	if !strings.Contains(text, "`````diff\n+ ```\n+ ````\n# heading\n@@ -1 +1 @@\n- gone\n`````\n") {
		t.Errorf("the fence is broken in\n%s", text)
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"and 8 more lines", "No diff of it is shown.", `<span class="at">@@ -1 &#43;1 @@</span>`, `<span class="out">- gone</span>`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	var edits []record.Edit
	for range 100 {
		edits = append(edits, record.Edit{Step: "s", Object: "o", Diff: many})
	}
	parts, room := editParts(edits, maxDiffLines)
	lines, more := 0, 0
	for _, p := range parts {
		lines, more = lines+len(p.Lines), more+p.More
	}
	if lines != maxDiffLines || room != 0 || lines+more != 100*(maxLinesOfDiff+5) {
		t.Errorf("%d lines shown, %d left out, room for %d", lines, more, room)
	}
}

// processorTime returns the processor time of this process, without that of others on the
// machine.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A page of 200 Nodes and 10,000 entries takes less than a second.
func TestLargePageIsFast(t *testing.T) {
	r := large(200, 10_000)
	run := judge.Run{ID: "r", Goal: record.Migrate, From: noon, Until: after(100)}
	for range 10_000 {
		run.Edits = append(run.Edits, record.Edit{Step: "s", Object: "o", Diff: "- 1\n+ 2"})
		run.Writes = append(run.Writes, judge.Write{At: noon, Write: record.Write{Step: "s", What: "patch"}})
	}
	r.Runs = []judge.Run{run}
	before := processorTime(t)
	page, err := HTML(Of(r, nil))
	if err != nil {
		t.Fatal(err)
	}
	took := processorTime(t) - before
	t.Logf("%d bytes in %s", len(page), took)
	if took > time.Second {
		t.Errorf("it took %s", took)
	}
	if most := 8 << 20; len(page) > most {
		t.Errorf("%d bytes", len(page))
	}
	keep(t, "large.html", page)
}
