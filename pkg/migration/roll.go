package migration

import (
	"fmt"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// RolloutJudgement is one reading while a change is rolled out.
type RolloutJudgement struct {
	WaitingFor  string
	Done, Total int
	Machines    []runner.Machine
	Evidence    []string
	Progress    string
	By          runner.Roller // who carries it out

	waits  []string
	holdup error           // what seems to keep it from moving
	stop   *runner.Verdict // judged already: braked or failed
}

// ByRancher says that Rancher carries a change out, and goes on by itself, machine
// after machine, whether or not a run watches.
func ByRancher() runner.Roller { return runner.Roller{Name: "Rancher", Alone: true, Brakes: true} }

// Wait adds what the roll still waits for.
func (r *RolloutJudgement) Wait(format string, args ...any) {
	r.waits = append(r.waits, fmt.Sprintf(format, args...))
}

// Waits says whether something is open.
func (r *RolloutJudgement) Waits() bool { return len(r.waits) > 0 }

// Stop ends the judgement with a verdict.
func (r *RolloutJudgement) Stop(with runner.Verdict) {
	with.Progress = r.Progress
	r.stop = &with
}

// Stopped says whether it is judged already.
func (r *RolloutJudgement) Stopped() bool { return r.stop != nil }

// Verdict is what the reading comes to.
func (r *RolloutJudgement) Verdict() runner.Verdict {
	if r.stop != nil {
		return *r.stop
	}
	if len(r.waits) == 0 {
		met := Met(r.Evidence...)
		met.Machines = r.Machines
		return met
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: r.WaitingFor, Seen: JoinSome(r.waits),
		Progress: r.Progress, Done: r.Done, Total: r.Total, Machines: r.Machines, By: r.By, Err: r.holdup}
}

// Progress changes exactly when something moved: what the Backend marks, a Node's
// readiness, a component's manifest or start, the holder of a lease.
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
