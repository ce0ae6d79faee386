package migration

import (
	"fmt"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// RolloutJudgement collects the verdict on one reading during a rollout.
type RolloutJudgement struct {
	WaitingFor  string
	Done, Total int
	Machines    []runner.Machine
	Evidence    []string
	Progress    string
	By          runner.Roller // carries the rollout out

	waits  []string
	holdup error           // probable cause of a standstill, or nil
	stop   *runner.Verdict // final verdict, or nil
}

// ByRancher returns the Roller of changes that Rancher carries out. Rancher continues,
// machine after machine, even if no run watches.
func ByRancher() runner.Roller { return runner.Roller{Name: "Rancher", Alone: true, CanPause: true} }

// Wait adds a condition that the rollout still waits for.
func (r *RolloutJudgement) Wait(format string, args ...any) {
	r.waits = append(r.waits, fmt.Sprintf(format, args...))
}

// Waits reports whether a condition is pending.
func (r *RolloutJudgement) Waits() bool { return len(r.waits) > 0 }

// Stop ends the judgement with a verdict.
func (r *RolloutJudgement) Stop(with runner.Verdict) {
	with.Progress = r.Progress
	r.stop = &with
}

// Stopped reports whether the judgement has ended.
func (r *RolloutJudgement) Stopped() bool { return r.stop != nil }

// Verdict returns the verdict on the reading.
func (r *RolloutJudgement) Verdict() runner.Verdict {
	if r.stop != nil {
		return *r.stop
	}
	if len(r.waits) == 0 {
		met := Met(r.Evidence...)
		met.Machines = r.Machines
		return met
	}
	waitingFor := r.WaitingFor
	if r.Total > 0 && r.Done == r.Total {
		waitingFor = "the last conditions of the step"
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: waitingFor, Seen: JoinSome(r.waits),
		Progress: r.Progress, Done: r.Done, Total: r.Total, Machines: r.Machines, By: r.By, Err: r.holdup}
}

// Progress returns a text that changes exactly when the rollout advances. It contains the
// Backend's marks, each Node's readiness, each component's manifest and start, and the holder
// of the migration lease.
func (r Reading) Progress(marks ...string) string {
	marks = append([]string{"l " + r.Leases.Migration.Last.Holder}, marks...)
	for i := range r.Down.Nodes {
		node := &r.Down.Nodes[i]
		marks = append(marks, fmt.Sprintf("n %s %t %s", node.UID, node.IsReady(), node.ConfigHash))
	}
	for _, k := range r.KCMs {
		marks = append(marks, fmt.Sprintf("k %s %s %s %t", k.ID, k.Hash, k.Started, k.Ready))
	}
	sort.Strings(marks)
	return strings.Join(marks, "\n")
}
