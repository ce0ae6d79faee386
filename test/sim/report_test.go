package sim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// recordRun returns a run's end and the report of its record.
func recordRun(t *testing.T, r Run, w *World) (Ended, report.Report) {
	t.Helper()
	var ended Ended
	path := filepath.Join(t.TempDir(), "run.jsonl")
	synctest.Test(t, func(t *testing.T) {
		kept, err := recording.Open(recording.Options{Record: path, Command: "awsmigrate", By: "alice@laptop", Version: "v1", Clock: clock.RealClock{}, Timeout: time.Minute, Say: func(line string) { t.Error(line) }})
		if err != nil {
			t.Fatal(err)
		}
		r.Recording = kept
		ended = r.On(t.Context(), w)
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	j := judge.New()
	torn, err := record.Read(file, j.Put)
	if err != nil || len(torn) > 0 {
		t.Fatal(torn, err)
	}
	return ended, report.Of(j.Result(), torn)
}

// requirePage returns the only run of a report. It requires the words on the page, and none of the
// forbidden ones.
func requirePage(t *testing.T, name string, r report.Report, says ...string) judge.Run {
	t.Helper()
	if len(r.Runs) != 1 {
		t.Fatalf("%s: %d runs", name, len(r.Runs))
	}
	page, err := report.HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("AWSMIGRATE_REPORTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, strings.ReplaceAll("sim "+name, " ", "-")+".html"), page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range says {
		if !strings.Contains(string(page), want) {
			t.Errorf("%s: %q is not on the page", name, want)
		}
	}
	if strings.Contains(string(page), "No two processes ran") {
		t.Errorf("%s: the record is unwatched, but the page excludes an overlap", name)
	}
	return r.Runs[0]
}

// editedSteps returns the steps of a run with a diff of an edit.
func editedSteps(r judge.Run) []string {
	var steps []string
	for _, e := range r.Edits {
		if e.Diff != "" && !slices.Contains(steps, e.Step) {
			steps = append(steps, e.Step)
		}
	}
	return steps
}

// A run's record has each edit as a diff, and the results of both audits. The cases are an
// undisturbed run, a failing one, an undo, one that takes over from a dead one, and one that a
// controller requested.
func TestReportsOfRuns(t *testing.T) {
	for _, s := range scenarios[:natural] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w, r := s.world(), s.run
			r.ID, r.Skip = runID(1), map[string]string{"AWSM-601": "looked at by hand"}
			ended, seen := recordRun(t, r, w)
			if ended.Err != nil {
				t.Fatal(ended.Err)
			}
			run := requirePage(t, s.name, seen, "The migration finished", "skipped on request: looked at by hand", "AWSM-601", "unchanged: ")
			for _, step := range []string{"enable-leader-migration", "install-ccm", "switch-provider"} {
				if !slices.Contains(editedSteps(run), step) {
					t.Errorf("no edit of %s, only of %v", step, editedSteps(run))
				}
				if !slices.ContainsFunc(run.Writes, func(w judge.Write) bool { return w.Step == step }) {
					t.Errorf("no write of %s", step)
				}
			}
			for _, step := range []string{"preflight", "verify"} {
				if !slices.ContainsFunc(run.Audits, func(a judge.Audit) bool { return a.Step == step && a.Counts["ok"] > 20 }) {
					t.Errorf("the audit of %s is not in %+v", step, run.Audits)
				}
			}
			wrote := func(e record.Edit) bool { return e.Written && e.Step == "switch-provider" }
			if !slices.ContainsFunc(run.Edits, wrote) {
				t.Error("no entry shows the write of the switch")
			}
			undo := undoOf(s.run)
			undo.ID = w.nextRun()
			ended, seen = recordRun(t, undo, w)
			if ended.Err != nil {
				t.Fatal(ended.Err)
			}
			run = requirePage(t, s.name+" undo", seen, "The undo finished", "Undo, run", r.ID)
			if !slices.Contains(editedSteps(run), "undo-switch-provider") {
				t.Errorf("no edit of the undo, only of %v", editedSteps(run))
			}
		})
	}
}

// The report of a failing run shows the failure. The next report names the previous owner and
// the requester.
func TestReport_unfinishedRun_showsFailure(t *testing.T) {
	t.Run("failed", func(t *testing.T) {
		ended, seen := recordRun(t, Run{ID: runID(1), Timeout: pollInterval + time.Second}, NewRKE2())
		if ended.Err == nil {
			t.Fatal("the run did not fail")
		}
		if run := requirePage(t, "failed", seen, "The migration failed in step "); run.Error == "" || run.Until.IsZero() {
			t.Errorf("%+v", run)
		}
	})
	t.Run("taken over by a controller", func(t *testing.T) {
		w := stoppedAfter(t, scenarios[0], "PATCH", "/clusters/")
		ended, seen := recordRun(t, Run{ID: w.nextRun(), Attempt: "uid/1/", Elsewhere: true}, w)
		if ended.Err != nil {
			t.Fatal(ended.Err)
		}
		run := requirePage(t, "taken over", seen, "The migration by the controller finished", "It took over from run "+runID(1)+" of alice@laptop, which died in step ", "ClusterMigration uid/1/")
		if run.Former == nil || run.Former.Outcome != "died" {
			t.Errorf("former %+v", run.Former)
		}
	})
}
