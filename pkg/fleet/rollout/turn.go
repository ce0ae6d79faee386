package rollout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// inTurn goes through the waves of an approved rollout up to the first that is not done.
func inTurn(in Input, groups []Group, d Decision) Decision {
	r := in.Rollout
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	if GoalOf(r) == v1alpha1.GoalUndo {
		slices.Reverse(order)
	}
	for _, i := range order {
		shown, wave := &d.Shown.Waves[i], groups[i].Wave
		var soak soaking
		shown.State, soak = waveState(wave, shown.Members, in.Now)
		if shown.State == WaveDone {
			continue
		}
		d.Shown.Wave, d.Audit, d.Again = wave.Name, soak.audit, soak.until
		if shown.State == WaveActive && !r.Spec.Paused {
			d.Begin = next(in, wave, d.Shown, shown.Members)
		}
		d.Shown.Moment = momentOf(r, *shown, soak)
		if shown.State == WaveActive {
			d.Again = nextDeadline(shown.Members)
		}
		return d
	}
	d.Shown.Moment = finished(d.Shown)
	return d
}

// waveState returns the state of a wave that has its turn.
func waveState(wave v1alpha1.Wave, members []Placed, now time.Time) (WaveState, soaking) {
	switch {
	case int64(count(members, Failed)) > wave.FailuresAllowed, isUnapproved(members):
		return WaveStopped, soaking{}
	case count(members, Looking, Waiting, Active) > 0:
		return WaveActive, soaking{}
	}
	soak := soakOf(wave, members, now)
	if soak.over {
		return WaveDone, soak
	}
	return WaveSoaking, soak
}

// isUnapproved reports whether a wave would pass without any cluster, because plans changed after the
// approval. A canary must not be passed over in silence.
func isUnapproved(members []Placed) bool {
	return count(members, Withdrawn) == len(members) && slices.ContainsFunc(members, func(p Placed) bool { return p.Moved })
}

// soaking is the pause after a wave, and the audits at its end.
type soaking struct {
	over  bool
	until time.Time // zero after it
	audit []string
}

// soakOf returns the soak of a wave in which nothing is left to do. It begins with the end of the
// last run, and ends when every migrated cluster passed an audit that was made after it.
func soakOf(wave v1alpha1.Wave, members []Placed, now time.Time) soaking {
	length := durationOf(wave.Soak, 0)
	var end time.Time
	for _, p := range members {
		if p.Standing == Done && p.Begun && p.Now.Ended.After(end) {
			end = p.Now.Ended
		}
	}
	if length == 0 || end.IsZero() {
		return soaking{over: true}
	}
	if until := end.Add(length); now.Before(until) {
		return soaking{until: until}
	}
	s := soaking{}
	for _, p := range members {
		if p.Standing == Done && p.Begun && p.Now.Passed.Before(end.Add(length)) {
			s.audit = append(s.audit, p.Now.Name)
		}
	}
	s.over = len(s.audit) == 0
	return s
}

// next returns the member whose turn begins, or nil. None begins while one that has begun is not
// seen, because that may have failed.
func next(in Input, wave v1alpha1.Wave, shown Shown, members []Placed) *Change {
	if i := slices.IndexFunc(members, approvedAnew); i >= 0 {
		return turnOf(in, wave, members[i])
	}
	working := 0
	for _, p := range members {
		if p.Begun && p.Standing == Looking {
			return nil
		}
		if p.working() {
			working++
		}
	}
	inAll := 0
	for _, p := range shown.all() {
		if p.working() {
			inAll++
		}
	}
	if working >= orDefault(wave.MaxConcurrent, DefaultInWave) || inAll >= orDefault(in.Rollout.Spec.MaxConcurrent, DefaultConcurrent) {
		return nil
	}
	i := slices.IndexFunc(members, func(p Placed) bool { return p.Standing == Waiting && p.Now.Mark.of(in.Rollout) })
	if i < 0 {
		return nil
	}
	return turnOf(in, wave, members[i])
}

// approvedAnew reports whether the plan of a member changed after its first run, and was approved
// since. It counts against the limits already.
func approvedAnew(p Placed) bool {
	return p.Begun && p.Standing == Active && p.Now.State == status.AwaitingApproval && p.Member.Plan != "" && p.Now.Approved != p.Member.Plan
}

// turnOf returns what begins the turn of a member.
func turnOf(in Input, wave v1alpha1.Wave, p Placed) *Change {
	return &Change{Cluster: p.Now.Name, Goal: p.Now.Goal.OrDefault(), From: p.Now.Mark, Mark: p.Now.Mark.Renew(wave, in.Now), Plan: p.Member.Plan}
}

func orDefault(n int64, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return int(n)
}

// durationOf returns a duration of a valid spec.
func durationOf(text string, otherwise time.Duration) time.Duration {
	d, err := time.ParseDuration(text)
	if text == "" || err != nil {
		return otherwise
	}
	return d
}

// nextDeadline returns the first deadline of a member that has begun, or zero.
func nextDeadline(members []Placed) time.Time {
	var first time.Time
	for _, p := range members {
		if p.Standing == Active && (first.IsZero() || p.Now.Mark.Deadline.Before(first)) {
			first = p.Now.Mark.Deadline
		}
	}
	return first
}

func momentOf(r *v1alpha1.MigrationRollout, wave ShownWave, soak soaking) status.Moment {
	counts := fmt.Sprintf("wave %s: %d of %d clusters done", wave.Name, count(wave.Members, Done), len(wave.Members))
	switch {
	case isUnapproved(wave.Members):
		return status.Moment{State: status.AwaitingApproval, Reason: status.PlanMoved, Message: fmt.Sprintf("wave %s stopped, because the plans of its clusters changed after the approval: look at them and approve again: %s", wave.Name, command(r, "approve"))}
	case wave.State == WaveStopped:
		return status.Moment{State: status.Stalled, Reason: status.WaveStopped, Message: fmt.Sprintf("wave %s stopped, and no further cluster begins: %s", wave.Name, failures(wave.Members))}
	case r.Spec.Paused:
		return status.Moment{State: status.Paused, Message: "spec.paused is set: no cluster begins, and none begins another block of steps; " + counts}
	case wave.State == WaveSoaking && soak.until.IsZero():
		return status.Moment{State: status.Pending, Reason: status.Soaking, Message: fmt.Sprintf("wave %s soaked: %d clusters are audited again", wave.Name, len(soak.audit))}
	case wave.State == WaveSoaking:
		return status.Moment{State: status.Pending, Reason: status.Soaking, Message: fmt.Sprintf("wave %s is done and soaks until %s", wave.Name, soak.until.UTC().Format(time.RFC3339))}
	}
	return status.Moment{State: stateOf(r), Message: counts}
}

func stateOf(r *v1alpha1.MigrationRollout) status.State {
	if GoalOf(r) == v1alpha1.GoalUndo {
		return status.Undoing
	}
	return status.Running
}

// failures describes the failed members of a wave, the first ones with their reasons.
func failures(members []Placed) string {
	const most = 3
	var parts []string
	for _, p := range members {
		if p.Standing == Failed {
			parts = append(parts, ShownName(p.Member.Cluster, p.DisplayName())+" failed: "+p.Why)
		}
	}
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// finished returns the moment after the last wave.
func finished(shown Shown) status.Moment {
	all := shown.all()
	message := fmt.Sprintf("%d of %d clusters are at the goal", count(all, Done), len(all))
	for _, other := range []struct {
		standing Standing
		words    string
	}{{Failed, "failed"}, {Withdrawn, "withdrawn"}} {
		if n := count(all, other.standing); n > 0 {
			message += fmt.Sprintf(", %d %s", n, other.words)
		}
	}
	if n := len(shown.Others); n > 0 {
		message += fmt.Sprintf("; %d joined after the approval", n)
	}
	return status.Moment{State: status.Succeeded, Message: message}
}
