package recording

import (
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// What somebody said yes to is in the record once it is in the journal, once, and of this
// run alone.
func TestApprovals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	d := open(t, file, "")
	d.look = seen
	d.Watch(t.Context(), Cluster{Name: "demo", Way: &rest.Config{}})
	d.Beside(nobody()).Emit(runner.Event{Type: runner.RunStarted, Message: "r1", Position: "P0"})
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
		t.Error("a journal that somebody else wrote was overwritten")
	}
	d.Beside(nobody()).Emit(runner.Event{Type: runner.RunFinished, Message: "r1", Position: "P1"})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	runs := read(t, file).Runs
	if len(runs) != 1 || len(runs[0].Approvals) != 2 {
		t.Fatalf("%+v", runs)
	}
	want := []judge.Approval{{At: d.clock.Now(), Plan: "sha256:1", By: "u@h"}, {At: d.clock.Now(), Step: "upgrade", By: "u@h"}}
	for i, a := range runs[0].Approvals {
		if a != want[i] {
			t.Errorf("%+v, wanted %+v", a, want[i])
		}
	}
	if (*Recording)(nil).Keeping(nil, "r1") != nil {
		t.Error("a recording that keeps nothing made a journal")
	}
}
