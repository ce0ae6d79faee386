package rke2

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// reaches is the position that a step brings the cluster to.
var reaches = map[runner.StepID]position.Position{
	StepLeaseAccess: position.P1,
	StepEnable:      position.P2,
	StepInstall:     position.P3,
	StepSwitch:      position.P4,
	StepDisable:     position.P5,
}

// standing is what the states of the steps are computed from.
type standing struct {
	View     View
	Result   position.Result
	Record   runner.Record
	Options  Options
	Cordon   cordonPlan
	OwnedBy  string // an owner that would put the old configuration back; empty: none
	AtTarget bool   // every kubelet runs Options.KubernetesVersion
}

// judge says for every step whether it is done. A cluster between two
// positions is taken up again only if that is our own doing, which the journal
// or Rancher's unfinished roll shows; otherwise somebody migrated half of it by
// hand, and guessing what they meant could leave it without controllers.
func (s standing) judge(ids []runner.StepID) (runner.Observation, error) {
	seen := runner.Observation{Position: s.Result.Position.String(), Summary: s.Result.Summary, States: map[runner.StepID]runner.State{}}
	current, err := s.current()
	if err != nil {
		return seen, err
	}
	for _, id := range ids {
		seen.States[id] = s.state(id, current)
	}
	s.holdBack(ids, seen.States, current)
	return seen, nil
}

// current is the step in progress, and the position that counts as reached.
type current struct {
	step    runner.StepID // empty: none
	reached position.Position
}

func (s standing) current() (current, error) {
	if !s.Result.Mixed && s.Result.Position != position.Unknown {
		return current{step: s.rollOf(s.Result.Position), reached: s.Result.Position}, nil
	}
	if s.Result.HandMade {
		return current{}, s.halfMigrated()
	}
	step := s.lastIntended()
	if s.Result.Position != position.Unknown {
		step = stepTo(s.Result.Between[1])
		if !s.ours(step) {
			return current{}, s.halfMigrated()
		}
		return current{step: step, reached: s.Result.Between[0]}, nil
	}
	if step == "" || len(s.View.AtRest()) == 0 {
		return current{}, &fault.Error{Class: fault.CouldNotLook, Reason: "PositionUnknown", Object: s.View.object(),
			Seen: s.Result.Summary, Wanted: "the arguments of every kube-controller-manager", Err: joined(s.Result.Problems)}
	}
	return current{step: step, reached: reaches[step] - 1}, nil
}

// ours says whether a half-done step is one that awsmigrate began, or that
// Rancher is still rolling out.
func (s standing) ours(step runner.StepID) bool {
	for _, intent := range s.Record.Intents {
		if intent.Step == step {
			return true
		}
	}
	return step == StepLeaseAccess || len(s.View.AtRest()) > 0
}

// inProgress is the step that was begun and is not finished; empty: none.
func (p *Procedure) inProgress(record runner.Record) runner.StepID {
	seen, err := p.standing(record).judge(p.order())
	if err != nil {
		return ""
	}
	for _, id := range p.order() {
		if seen.States[id].Kind == runner.InProgress {
			return id
		}
	}
	return ""
}

// lastIntended is the last step with a position that the journal announced.
func (s standing) lastIntended() runner.StepID {
	for i := len(s.Record.Intents) - 1; i >= 0; i-- {
		if _, ok := reaches[s.Record.Intents[i].Step]; ok {
			return s.Record.Intents[i].Step
		}
	}
	return ""
}

func stepTo(p position.Position) runner.StepID {
	for id, reached := range reaches {
		if reached == p {
			return id
		}
	}
	return ""
}

func (s standing) halfMigrated() error {
	return &fault.Error{Class: fault.Check, Reason: "HalfMigrated", Object: s.View.object(),
		Seen: s.Result.Summary, Wanted: "one position, or a step that awsmigrate began",
		Fix: "bring the components named to one state by hand, then run again", Err: joined(s.Result.Problems)}
}

func joined(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(problems, "; "))
}

func (s standing) state(id runner.StepID, now current) runner.State {
	if id == now.step {
		return runner.State{Kind: runner.InProgress, Reason: s.Result.Summary}
	}
	switch id {
	case StepPreflight:
		return s.preflightState(now)
	case StepVerify:
		return runner.State{Kind: runner.Always}
	case StepSnapshot:
		return s.snapshotState(now)
	case StepCordon:
		return s.cordonState(now)
	case StepUncordon:
		return s.uncordonState(now)
	case StepUpgrade:
		return s.upgradeState()
	case StepDisable:
		if skipped := s.disableSkipped(); skipped != "" && now.reached < position.P5 {
			return runner.State{Kind: runner.Skipped, Reason: skipped}
		}
	}
	if now.reached >= reaches[id] {
		return runner.State{Kind: runner.Done, Reason: now.reached.Summary()}
	}
	return runner.State{Kind: runner.Todo}
}

func (s standing) preflightState(now current) runner.State {
	if now.reached == position.P5 && (s.Options.KubernetesVersion == "" || s.AtTarget) {
		return runner.State{Kind: runner.Done, Reason: "nothing is left to prepare for"}
	}
	return runner.State{Kind: runner.Always}
}

func (s standing) snapshotState(now current) runner.State {
	generation, taken := s.snapshotIntended()
	plane := s.View.ControlPlane
	switch {
	case !s.Options.Snapshot:
		return runner.State{Kind: runner.Skipped, Reason: "--no-etcd-snapshot"}
	case now.reached > position.P1:
		return runner.State{Kind: runner.Done, Reason: "the cluster is past it"}
	case taken && plane.SnapshotGeneration >= generation && plane.SnapshotPhase == "Finished":
		return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("snapshot of generation %d finished", generation)}
	case taken:
		return runner.State{Kind: runner.InProgress, Reason: fmt.Sprintf("snapshot of generation %d: %s", generation, plane.SnapshotPhase)}
	}
	return runner.State{Kind: runner.Todo}
}

func (s standing) snapshotIntended() (int64, bool) {
	for i := len(s.Record.Intents) - 1; i >= 0; i-- {
		if intent := s.Record.Intents[i]; intent.Step == StepSnapshot {
			var generation int64
			if _, err := fmt.Sscanf(intent.Token, "%d", &generation); err == nil {
				return generation, true
			}
		}
	}
	return 0, false
}

func (s standing) cordonState(now current) runner.State {
	switch {
	case now.reached >= position.P4:
		return runner.State{Kind: runner.Done, Reason: "not repeated after the switch"}
	case s.Cordon.Skip != "":
		return runner.State{Kind: runner.Skipped, Reason: s.Cordon.Skip}
	case len(s.Cordon.Open) == 0:
		return runner.State{Kind: runner.Done, Reason: fmt.Sprintf("%d control-plane nodes are cordoned", len(s.Cordon.Ours)+len(s.Cordon.Theirs))}
	}
	return runner.State{Kind: runner.Todo}
}

func (s standing) uncordonState(now current) runner.State {
	switch {
	case len(s.Cordon.Ours) > 0:
		return runner.State{Kind: runner.Todo}
	case s.Cordon.Skip != "" && now.reached < position.P4:
		return runner.State{Kind: runner.Skipped, Reason: "nothing was cordoned"}
	case now.reached < position.P4 && len(s.Cordon.Open) > 0:
		return runner.State{Kind: runner.Todo}
	}
	return runner.State{Kind: runner.Done, Reason: "no node carries a cordon of ours"}
}

func (s standing) disableSkipped() string {
	switch {
	case s.Options.KeepLeaderMigration:
		return "--keep-leader-migration"
	case s.OwnedBy != "" && !s.Options.DisableAsked:
		return fmt.Sprintf("%s owns this Cluster and could put the old configuration back: commit the new one there first, then run with --keep-leader-migration=false", s.OwnedBy)
	}
	return ""
}

func (s standing) upgradeState() runner.State {
	if s.AtTarget {
		return runner.State{Kind: runner.Done, Reason: "every kubelet runs " + s.Options.KubernetesVersion}
	}
	return runner.State{Kind: runner.Todo}
}

// object names the cluster in messages.
func (f Facts) object() string {
	return fmt.Sprintf("Cluster %s/%s", f.Cluster.Namespace, f.Cluster.Name)
}
