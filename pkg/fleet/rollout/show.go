package rollout

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// NotApproved is the state of a note about a member that is not part of the approval.
const NotApproved = "NotApproved"

// Status returns what a rollout shows, without display and conditions.
func (s Shown) Status() v1alpha1.MigrationRolloutStatus {
	next := v1alpha1.MigrationRolloutStatus{Wave: s.Wave}
	for _, wave := range s.Waves {
		counts := countsOf(wave.Members)
		next.Waves = append(next.Waves, v1alpha1.WaveStatus{Name: wave.Name, State: string(wave.State), Counts: counts})
		next.Counts = sum(next.Counts, counts)
	}
	next.Counts.Total += int64(len(s.Others))
	next.Notes = s.notes()
	return next
}

// Complete reports whether every member is known. Soon after its start a controller knows few, and
// the status of the previous controller is closer to the truth than its own.
func (s Shown) Complete() bool {
	return !slices.ContainsFunc(s.all(), func(p Placed) bool { return p.Now != nil && !p.Now.Known })
}

// notes returns the members that a person should know of: first those that failed.
func (s Shown) notes() []v1alpha1.RolloutNote {
	var notes []v1alpha1.RolloutNote
	for _, standing := range []Standing{Failed, Active, Withdrawn} {
		for _, wave := range s.Waves {
			for _, p := range wave.Members {
				if p.Standing == standing {
					notes = append(notes, p.note(string(standing), p.Why))
				}
			}
		}
	}
	for _, p := range s.Others {
		why := "it matches wave " + p.Member.Wave + ", and joined after the approval: approve the rollout again to include it"
		if p.Standing == Withdrawn {
			why = p.Why
		}
		notes = append(notes, p.note(NotApproved, why))
	}
	return notes
}

func (p Placed) note(state, why string) v1alpha1.RolloutNote {
	return v1alpha1.RolloutNote{Cluster: p.Member.Cluster, DisplayName: p.DisplayName(), Wave: p.Member.Wave, State: state, Message: why}
}

// DisplayName returns the name of the cluster in Rancher's UI, or "" if it is the object's or not known.
func (p Placed) DisplayName() string {
	if p.Now == nil {
		return ""
	}
	return p.Now.DisplayName
}

// ShownName returns the name of a cluster for people, such as "prod" or "c-abcde (legacy)". display is
// its name in Rancher's UI, or empty if that is the same.
func ShownName(name, display string) string {
	if display == "" {
		return name
	}
	return name + " (" + display + ")"
}

func countsOf(members []Placed) v1alpha1.RolloutCounts {
	c := v1alpha1.RolloutCounts{Total: int64(len(members))}
	for _, p := range members {
		switch p.Standing {
		case Waiting:
			c.Waiting++
		case Active:
			c.Active++
		case Done:
			c.Done++
		case Failed:
			c.Failed++
		case Withdrawn:
			c.Withdrawn++
		case Looking: // for example between two blocks of steps
			if p.Begun {
				c.Active++
			} else {
				c.Waiting++
			}
		}
	}
	return c
}

func sum(a, b v1alpha1.RolloutCounts) v1alpha1.RolloutCounts {
	return v1alpha1.RolloutCounts{Total: a.Total + b.Total, Waiting: a.Waiting + b.Waiting, Active: a.Active + b.Active,
		Done: a.Done + b.Done, Failed: a.Failed + b.Failed, Withdrawn: a.Withdrawn + b.Withdrawn}
}

// Propose returns what an approval of the rollout would list now: the plans by which members
// work, and the present plan of every other member.
func Propose(in Input) (v1alpha1.RolloutApproval, []ShownWave, error) {
	proposal := v1alpha1.RolloutApproval{Goal: GoalOf(in.Rollout)}
	groups, err := Sort(in.Rollout, in.Members)
	if err != nil {
		return proposal, nil, err
	}
	unapproved := in
	unapproved.Rollout = in.Rollout.DeepCopy()
	unapproved.Rollout.Spec.Approved = nil
	var waves []ShownWave
	for _, group := range groups {
		wave := ShownWave{Name: group.Wave.Name, State: WaveWaiting, Members: placeAll(unapproved, group.Entries)}
		for _, p := range wave.Members {
			if p.Standing == Withdrawn {
				continue
			}
			member := p.Member
			if p.Begun && p.Now.State != status.AwaitingApproval {
				member.Plan = p.Now.Approved
			}
			proposal.Members = append(proposal.Members, member)
		}
		waves = append(waves, wave)
	}
	return proposal, waves, nil
}

// Seen returns a member from the status of a ClusterMigration, for readers without a controller's
// memory. No decision to write depends on it.
func Seen(m *v1alpha1.ClusterMigration, labels map[string]string) Member {
	member := Member{Name: m.Name, DisplayName: m.Status.DisplayName, Labels: labels, Goal: m.Spec.Goal, Approved: m.Spec.ApprovedPlan, Mark: MarkOf(m)}
	if d := m.Status.Display; d != nil {
		member.State, member.Message = status.StateOf(d.State), d.Message
	}
	member.Seen = m.Status.ObservedGeneration == m.Generation && member.State != "" && member.State != status.Auditing
	member.Reached = member.State == status.Succeeded || m.Status.Plan == nil && member.State == status.Findings
	if m.Status.Plan != nil {
		member.Plan = m.Status.Plan.Hash
	}
	member.Working = m.Status.Run != nil
	if len(m.Status.History) > 0 {
		member.Ran = m.Status.History[0].StartedAt.Time
	}
	return member
}
