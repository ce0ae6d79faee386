package procedure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// progress holds the input from which step states are computed.
type progress struct {
	migration.Snapshot
	Options  migration.Options
	Cordon   guard.CordonPlan
	AtTarget bool // every kubelet runs Options.KubernetesVersion
}

// states returns the state of every step. A cluster between two positions is resumed only if
// awsmigrate caused that, which the journal or an unfinished rollout shows. Otherwise a user
// migrated half of it by hand, and a guess at the intent could leave it without controllers.
func (s progress) states(ids []journal.StepID) (runner.Observation, error) {
	observed := runner.Observation{Position: s.Result.Position.String(), Summary: s.Result.Summary, Words: s.Result.Words(), States: map[journal.StepID]runner.State{}}
	current, err := s.current()
	if err != nil {
		return observed, err
	}
	for _, id := range ids {
		observed.States[id] = s.state(id, current)
	}
	s.skipEarlier(ids, observed.States, current)
	return observed, nil
}

// current holds the step in progress and the position that counts as reached.
type current struct {
	step    journal.StepID // or empty
	reached position.Position
}

func (s progress) current() (current, error) {
	if at := s.configPosition(); at != position.Unknown {
		return current{step: s.rollingStep(at), reached: at}, nil
	}
	if s.Result.HandMade {
		return current{}, s.halfMigrated()
	}
	if err := s.Reading.Frozen(); err != nil {
		return current{}, err
	}
	if s.isUpgrading() && s.Result.Position == position.Unknown {
		return current{step: migration.StepUpgrade, reached: position.P4}, nil
	}
	step := lastIntended(s.Record)
	if s.Result.Position != position.Unknown {
		step = stepTo(s.Result.Between[1])
		if !s.mayResume(step) {
			return current{}, s.halfMigrated()
		}
		return current{step: step, reached: s.Result.Between[0]}, nil
	}
	if step == "" || len(s.Reading.Pending) == 0 {
		return current{}, &fault.Error{Class: fault.CouldNotLook, Reason: "PositionUnknown", Object: s.Reading.Object,
			Seen: s.Result.Summary, Wanted: "the arguments of every kube-controller-manager", Err: joinProblems(s.Result.Problems)}
	}
	return current{step: step, reached: positionOf(step) - 1}, nil
}

// configPosition returns the position of the configuration, or Unknown between two. A switched
// cluster without a leader counts as P4: no step would give it a leader, and its checks report
// it.
func (s progress) configPosition() position.Position {
	switch {
	case s.Result.Leaderless():
		return position.P4
	case s.Result.Mixed:
		return position.Unknown
	}
	return s.Result.Position
}

// mayResume reports whether awsmigrate began a half-done step, or the step still rolls out.
func (s progress) mayResume(step journal.StepID) bool {
	return s.Record.Begun(step) || step == migration.StepLeaseAccess || len(s.Reading.Pending) > 0
}

// inProgress returns the step that was begun and is not finished, or empty.
func (m *Migration) inProgress(snap migration.Snapshot) journal.StepID {
	judged, err := m.progress(snap).states(m.forwardOrder())
	if err != nil {
		return ""
	}
	for _, id := range m.forwardOrder() {
		if judged.States[id].Kind == runner.InProgress {
			return id
		}
	}
	return ""
}

// lastIntended returns the last announced step that reaches a position. It is empty if an undo
// began after it: the undo then causes all changes.
func lastIntended(record journal.Record) journal.StepID {
	for _, intent := range slices.Backward(record.Intents) {
		switch {
		case undoneStep(intent.Step) != "":
			return ""
		case positionOf(intent.Step) != position.P0:
			return intent.Step
		}
	}
	return ""
}

func (s progress) halfMigrated() error {
	return &fault.Error{Class: fault.Check, Reason: "HalfMigrated", Object: s.Reading.Object,
		Seen: s.Result.Summary, Wanted: "one position, or a step that awsmigrate began",
		Fix: s.fixHalfMigrated(), Err: joinProblems(s.Result.Problems)}
}

// fixHalfMigrated returns the instructions for a cluster between two positions. The user must
// not edit by hand while a rollout or our pause is active.
func (s progress) fixHalfMigrated() string {
	fix := "bring the components named to one state, by hand or by a commit where the Cluster is kept"
	if s.Options.HandOver {
		fix = "commit the Cluster's previous configuration in its owner"
	}
	switch {
	case s.Result.Ungranted:
		return "run again after these two commands in the cluster that is migrated: " + checks.GrantCommands
	case slices.ContainsFunc(s.Reading.Pending, func(open migration.PendingCondition) bool { return open.OurPause }):
		return fix + ", then end the pause that awsmigrate has set (docs/going-back.md#after-a-pause), and run again once the cluster is at rest"
	case len(s.Reading.Pending) > 0:
		return "it is not at rest: if the rollout is right, wait until it is finished, then run again; else " + fix + " at once"
	}
	return fix + ", then run again"
}

func joinProblems(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(problems, "; "))
}

func (s progress) state(id journal.StepID, now current) runner.State {
	if id == now.step {
		return runner.State{Kind: runner.InProgress, Reason: s.Result.Summary, Open: migration.SummarizePending(s.Reading.Pending)}
	}
	if state := rowOf(id).state; state != nil {
		return state(s, now)
	}
	return stateByPosition(id, now)
}

func stateByPosition(id journal.StepID, now current) runner.State {
	if now.reached >= positionOf(id) {
		return runner.State{Kind: runner.Done, Reason: now.reached.Summary()}
	}
	return runner.State{Kind: runner.Todo}
}

// auditState makes every run audit at its end.
func (s progress) auditState(current) runner.State { return runner.State{Kind: runner.Always} }

func (s progress) preflightState(now current) runner.State {
	if _, _, outdated := s.outdatedCCM(now); !outdated && now.reached == position.P5 && (s.Options.KubernetesVersion == "" || s.AtTarget) {
		return runner.State{Kind: runner.Done, Reason: "nothing is left to prepare for"}
	}
	return runner.State{Kind: runner.Always}
}

func (s progress) snapshotState(now current) runner.State {
	if s.Reading.Snapshot.Kind != runner.Skipped && now.reached > position.P1 {
		return runner.State{Kind: runner.Done, Reason: "the cluster has passed " + position.P1.String()}
	}
	return s.Reading.Snapshot
}

func (s progress) cordonState(now current) runner.State {
	switch {
	case now.reached >= position.P4:
		return runner.State{Kind: runner.Done, Reason: "not needed after the switch"}
	case s.Options.HandOver:
		return runner.State{Kind: runner.Skipped, Reason: "the owner commits the edits, which may take days; the lease separates two managers"}
	case s.Cordon.Skip != "":
		return runner.State{Kind: runner.Skipped, Reason: s.Cordon.Skip}
	case len(s.Cordon.Open) == 0:
		return runner.State{Kind: runner.Done, Reason: "cordoned: " + fault.Count(len(s.Cordon.Ours)+len(s.Cordon.Theirs), "control-plane node")}
	}
	return runner.State{Kind: runner.Todo}
}

// installState is pending again after the switch if the CCM is of an older minor version than the
// API servers. An upgrade in progress updates the CCM in its own step.
func (s progress) installState(now current) runner.State {
	if running, wanted, outdated := s.outdatedCCM(now); outdated {
		return runner.State{Kind: runner.Todo, Reason: fmt.Sprintf("the CCM runs %s, the API servers need %s", running, wanted)}
	}
	return stateByPosition(migration.StepInstall, now)
}

// outdatedCCM returns the running and the wanted image of a CCM that this run must update
// without an upgrade.
func (s progress) outdatedCCM(now current) (running, wanted string, ok bool) {
	if now.step != "" || now.reached < position.P4 || s.Options.KubernetesVersion != "" && !s.AtTarget {
		return "", "", false
	}
	return chart.Outdated(s.Snapshot, s.Options)
}

// handOverState judges by the holder of the migration lease unless that is known to be dead: a
// new run has not seen it renew yet.
func (s progress) handOverState(now current) runner.State {
	if now.reached >= position.P4 {
		return runner.State{Kind: runner.Done, Reason: "not needed after the switch"}
	}
	if now.reached < position.P3 {
		if why := reasonInSettings(s.Reading); why != "" {
			return runner.State{Kind: runner.Skipped, Reason: "left to switch-provider: " + why}
		}
		return runner.State{Kind: runner.Todo}
	}
	owner := s.Reading.LeaseVerdict()
	if owner.Owner == lease.CCM && owner.Life != lease.Dead {
		return runner.State{Kind: runner.Done, Reason: "the cloud controller manager holds the migration lease"}
	}
	if why := reasonNotToFence(s.Snapshot); why != "" && owner.Owner != lease.HandingOver {
		return runner.State{Kind: runner.Skipped, Reason: "left to switch-provider: " + why}
	}
	return runner.State{Kind: runner.Todo}
}

func (s progress) uncordonState(now current) runner.State {
	switch {
	case len(s.Cordon.Ours) > 0:
		return runner.State{Kind: runner.Todo}
	case (s.Cordon.Skip != "" || s.Options.HandOver) && now.reached < position.P4:
		return runner.State{Kind: runner.Skipped, Reason: "nothing was cordoned"}
	case now.reached < position.P4 && len(s.Cordon.Open) > 0:
		return runner.State{Kind: runner.Todo}
	}
	return runner.State{Kind: runner.Done, Reason: "no node is cordoned by awsmigrate"}
}

func (s progress) disableState(now current) runner.State {
	if skipped := s.reasonToSkipDisable(); skipped != "" && now.reached < position.P5 {
		return runner.State{Kind: runner.Skipped, Reason: skipped}
	}
	return stateByPosition(migration.StepDisable, now)
}

func (s progress) reasonToSkipDisable() string {
	switch {
	case s.Options.KeepLeaderMigration:
		return "--keep-leader-migration"
	case len(s.Reading.Owners) > 0 && !s.Options.DisableAsked && !s.Options.HandOver:
		return fmt.Sprintf("%s manages this configuration and could revert it: commit the new one there first, then run with --keep-leader-migration=false", s.Reading.Owners[0])
	}
	return ""
}

func (s progress) upgradeState(current) runner.State {
	if s.AtTarget {
		return runner.State{Kind: runner.Done, Reason: "every kubelet runs " + s.Options.KubernetesVersion}
	}
	return runner.State{Kind: runner.Todo}
}

// isBegun reports whether a migration has begun, by awsmigrate or by hand.
func isBegun(s migration.Snapshot) bool {
	return s.Result.Position != position.P0 || s.Result.Mixed || lastIntended(s.Record) != ""
}
