package judge

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// The entries of a run are passed on, and decide nothing.
func TestRuns(t *testing.T) {
	at := func(x float64) time.Time { return epoch.Add(time.Duration(x * float64(time.Second))) }
	step := func(run, id string, outcome record.Outcome) record.Entry {
		return record.Entry{Step: &record.Step{Run: run, ID: id, Outcome: outcome}}
	}
	s := begun().
		at(1, record.Entry{Run: &record.Run{ID: "a", Command: "awsmigrate rke2", Position: "P0"}}).
		at(1.5, record.Entry{Approval: &record.Approval{Run: "a", Plan: "sha256:1", By: "u@h"}}).at(1.5, record.Entry{Approval: &record.Approval{Run: "other"}}).
		at(2, step("a", "preflight", record.WasDone)).at(3, step("a", "enable", "")).at(9, step("a", "enable", record.Finished)).
		at(10, step("a", "switch", "")).at(11, step("other", "switch", record.Failed)).
		at(12, record.Entry{Run: &record.Run{ID: "a", Position: "P2", Ended: true, Error: "killed"}}).
		at(13, record.Entry{Run: &record.Run{ID: "b", Ended: true, Error: "away"}})
	want := []Run{
		{ID: "a", Command: "awsmigrate rke2", From: at(1), Until: at(12), Before: "P0", After: "P2", Error: "killed", Approvals: []Approval{{at(1.5), record.Approval{Run: "a", Plan: "sha256:1", By: "u@h"}}}, Steps: []Step{
			{ID: "preflight", From: at(2), Until: at(2), Outcome: record.WasDone},
			{ID: "enable", From: at(3), Until: at(9), Outcome: record.Finished},
			{ID: "switch", From: at(10)}}},
		{ID: "b", From: at(13), Until: at(13), Error: "away"},
	}
	got := s.judged()
	if diff := cmp.Diff(want, got.Runs); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if got.Verdict() != begun().at(13, record.Entry{Begun: &record.Begun{Stream: record.Nodes}}).judged().Verdict() {
		t.Error("a run decides the verdict")
	}
}
