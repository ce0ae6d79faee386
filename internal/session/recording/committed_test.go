package recording

import (
	"fmt"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// An approval is recorded once, after the journal has it, and only for this run.
func TestKeeping_approvals_recordedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	d := open(t, file, "")
	d.look = observeUntilDone
	d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
	d.WrapSink(nobody(), About{}).Emit(runner.Event{Type: runner.RunStarted, Message: "r1", Position: "P0"})
	kept := d.Keeping(&journal.Memory{}, "r1")
	st, err := kept.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commit := func(more ...journal.Approval) {
		t.Helper()
		st.Approvals = append(st.Approvals, more...)
		if err := kept.Commit(t.Context(), &st); err != nil {
			t.Fatal(err)
		}
	}
	commit(journal.Approval{Run: "before", Plan: "old"}, journal.Approval{Run: "r1", Who: "u@h", Time: "1", Plan: "sha256:1"})
	commit(journal.Approval{Run: "r1", Who: "u@h", Time: "2", Step: "upgrade"})
	stale := journal.State{Approvals: []journal.Approval{{Run: "r1", Plan: "never written"}}, Version: "another"}
	if err := kept.Commit(t.Context(), &stale); err == nil {
		t.Error("a journal of another writer was overwritten")
	}
	d.WrapSink(nobody(), About{}).Emit(runner.Event{Type: runner.RunFinished, Message: "r1", Position: "P1"})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	runs := read(t, file).Runs
	if len(runs) != 1 || len(runs[0].Approvals) != 2 {
		t.Fatalf("%+v", runs)
	}
	want := []judge.Approval{{At: d.clock.Now(), Approval: record.Approval{Run: "r1", Plan: "sha256:1", By: "u@h"}}, {At: d.clock.Now(), Approval: record.Approval{Run: "r1", Step: "upgrade", By: "u@h"}}}
	for i, a := range runs[0].Approvals {
		if a != want[i] {
			t.Errorf("%+v, wanted %+v", a, want[i])
		}
	}
	if (*Recording)(nil).Keeping(nil, "r1") != nil {
		t.Error("a recording that keeps nothing made a journal")
	}
}

// The record has the previous run, and its last intended step if it died. Each announced write
// is recorded once.
func TestFormerOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	d := open(t, file, "")
	d.WrapSink(nobody(), About{}).Emit(runner.Event{Type: runner.RunStarted, Message: "r9", Position: "P1"})
	before := journal.State{}
	for i := range 8 {
		before.Runs = append(before.Runs, journal.Run{ID: fmt.Sprintf("r%d", i), Who: "u@h", Command: "c", Start: "2026-11-20T09:00:00Z", End: "2026-11-20T10:00:00Z", Outcome: "done"})
	}
	before.Runs[7].End, before.Runs[7].Outcome = "", "died"
	before.Intents = []journal.Intent{{Run: "r7", Step: "install-ccm"}, {Run: "r7", Step: "switch-provider", What: "patch"}}
	memory := &journal.Memory{}
	if err := memory.Commit(t.Context(), &before); err != nil {
		t.Fatal(err)
	}
	kept := d.Keeping(memory, "r9")
	st, err := kept.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st.Runs = append(st.Runs, journal.Run{ID: "r9"})
	for range 2 {
		st.Intents = append(st.Intents, journal.Intent{Run: "r9", Step: "switch-provider", What: "patch it", Object: "Cluster a/b"})
		for range 2 {
			if err := kept.Commit(t.Context(), &st); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	run := read(t, file).Runs[0]
	if want := (record.Former{Run: "r9", ID: "r7", By: "u@h", Outcome: "died", Step: "switch-provider"}); run.Former == nil || *run.Former != want {
		t.Errorf("former %+v, wanted %+v", run.Former, want)
	}
	if len(run.Writes) != 2 || run.Writes[0].What != "patch it" || run.Writes[0].Object != "Cluster a/b" {
		t.Errorf("writes %+v", run.Writes)
	}
}
