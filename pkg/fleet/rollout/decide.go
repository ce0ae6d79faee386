package rollout

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Decision describes the writes for a rollout, and its status.
type Decision struct {
	// Goals holds the members whose goal must be set, with their new marks.
	Goals []Change
	// Begin is the member whose turn begins, or nil. It is at most one, because the next one
	// depends on how this one was written.
	Begin *Change
	// Audit names the members that need an audit after their wave's soak.
	Audit []string
	Shown Shown
	Again time.Time // zero: when something changes
}

// Change describes a write to a member that still has the goal and the mark that were decided
// about.
type Change struct {
	Cluster string
	Goal    v1alpha1.Goal // present
	From    Mark          // present
	Mark    Mark          // new
	// Plan is the value of spec.approvedPlan, or empty to leave it.
	Plan string
}

// Shown describes the progress of a rollout.
type Shown struct {
	Moment status.Moment
	Wave   string // that has its turn
	Waves  []ShownWave
	// Others match a wave and are not part of the approval.
	Others []Placed
}

// ShownWave is a wave with its state and members.
type ShownWave struct {
	Name    string
	State   WaveState
	Members []Placed
}

// WaveState is the state of a wave.
type WaveState string

// The states of a wave.
const (
	// WaveWaiting waits for the waves before it.
	WaveWaiting WaveState = "Waiting"
	// WaveActive has its turn.
	WaveActive WaveState = "Active"
	// WaveSoaking waits for its soak, or for the audits after it.
	WaveSoaking WaveState = "Soaking"
	// WaveStopped has more failed clusters than it may have, or lost all clusters because their plans
	// changed after the approval.
	WaveStopped WaveState = "Stopped"
	// WaveDone lets the next wave begin.
	WaveDone WaveState = "Done"
)

// Defaults of a spec.
const (
	DefaultConcurrent = 5 // in all waves
	DefaultInWave     = 1
	DefaultDeadline   = 24 * time.Hour
)

// Input holds a rollout and its members.
type Input struct {
	Rollout *v1alpha1.MigrationRollout
	Members []Member
	// Others are the rollouts of the namespace, by UID.
	Others map[types.UID]string
	// AuditsOnly reports whether this installation only audits.
	AuditsOnly bool
	Now        time.Time
}

// Decide returns what to do for a rollout now.
func Decide(in Input) Decision {
	d := decide(in)
	d.Shown.Moment.Generation = in.Rollout.Generation
	return d
}

func decide(in Input) Decision {
	r := in.Rollout
	if wrong := r.Validate(); len(wrong) > 0 {
		return Decision{Shown: Shown{Moment: status.Moment{State: status.Stalled, Reason: status.Invalid, Message: wrong.ToAggregate().Error()}}}
	}
	groups, others, err := grouped(in)
	if err != nil { // Validate has checked the selectors
		return Decision{Shown: Shown{Moment: status.Moment{State: status.Stalled, Reason: status.Invalid, Message: err.Error()}}}
	}
	d := Decision{Shown: Shown{Others: placeAll(in, others)}}
	for _, group := range groups {
		d.Shown.Waves = append(d.Shown.Waves, ShownWave{Name: group.Wave.Name, State: WaveWaiting, Members: placeAll(in, group.Entries)})
	}
	if in.AuditsOnly {
		d.Shown.Moment = status.Moment{State: status.Paused, Message: "this installation only audits: set mode migrate in the values of its chart"}
		return d
	}
	if !r.Spec.Paused {
		d.Goals = goals(in, d.Shown)
	}
	if !InForce(r) {
		d.Shown.Moment = unapproved(r, d.Shown)
		return d
	}
	return inTurn(in, groups, d)
}

// grouped returns the waves of a rollout in the order of its spec: those of the approval, or those
// that would be approved.
func grouped(in Input) (groups []Group, others []Entry, err error) {
	if InForce(in.Rollout) {
		return Approved(in.Rollout, in.Members)
	}
	groups, err = Sort(in.Rollout, in.Members)
	return groups, nil, err
}

func placeAll(in Input, entries []Entry) []Placed {
	var all []Placed
	for _, entry := range entries {
		all = append(all, place(in.Rollout, in.Others, entry, in.Now))
	}
	return all
}

// goals returns the members whose goal must be set: those without a mark for this goal. They need
// the goal for a plan that can be approved.
func goals(in Input, shown Shown) []Change {
	var all []Change
	for _, p := range shown.all() {
		if p.Now == nil || p.Standing == Withdrawn || p.Standing == Failed || p.Now.Mark.of(in.Rollout) || p.Now.Working {
			continue
		}
		all = append(all, Change{Cluster: p.Now.Name, Goal: p.Now.Goal.OrDefault(), From: p.Now.Mark, Mark: Mark{Rollout: in.Rollout.Name, UID: in.Rollout.UID, Goal: GoalOf(in.Rollout)}})
	}
	return all
}

// all returns every member, those that are not approved at the end.
func (s Shown) all() []Placed {
	var all []Placed
	for _, wave := range s.Waves {
		all = append(all, wave.Members...)
	}
	return append(all, s.Others...)
}

func count(members []Placed, of ...Standing) int {
	n := 0
	for _, p := range members {
		if slices.Contains(of, p.Standing) {
			n++
		}
	}
	return n
}

// command returns a command for a rollout.
func command(r *v1alpha1.MigrationRollout, verb string) string {
	return fault.Command("awsmigrate", "rollout", verb, "--name", r.Name, "-n", r.Namespace)
}

func unapproved(r *v1alpha1.MigrationRollout, shown Shown) status.Moment {
	all := shown.all()
	switch looking := count(all, Looking); {
	case r.Spec.Paused:
		return status.Moment{State: status.Paused, Message: "spec.paused is set: no goal is set and no cluster begins"}
	case len(all) == 0:
		return status.Moment{State: status.Pending, Reason: status.NoMembers, Message: "no ClusterMigration of this namespace matches a wave"}
	case looking > 0:
		return status.Moment{State: status.Pending, Reason: status.Planning, Message: fmt.Sprintf("%d of %d clusters have no plan yet", looking, len(all))}
	}
	return status.Moment{State: status.AwaitingApproval, Message: "look at the waves and approve all of them: " + command(r, "approve")}
}

// Applies reports whether an object still has the goal and the mark that were decided about.
func (c Change) Applies(m *v1alpha1.ClusterMigration) bool {
	return m.Spec.Goal.OrDefault() == c.Goal && MarkOf(m) == c.From
}
