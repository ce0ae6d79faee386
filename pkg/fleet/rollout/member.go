package rollout

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Member is a ClusterMigration as it is now.
type Member struct {
	Name        string
	DisplayName string            // in Rancher's UI, or empty if that is Name
	Labels      map[string]string // of Rancher's Cluster
	Goal        v1alpha1.Goal
	// Approved is spec.approvedPlan.
	Approved string
	Mark     Mark
	// Known reports whether this process has ever decided about the cluster.
	Known bool
	// Seen reports whether the rest is known for the present object. A rollout begins no cluster
	// while one that has begun is not seen.
	Seen    bool
	State   status.State
	Message string
	// Plan is the hash of the present plan, or empty without one.
	Plan string
	// Reached reports whether no step of its goal is left.
	Reached bool
	// Passed is the time of the last audit if that passed, else zero.
	Passed time.Time
	// Ran and Ended are the start and the end of its last run, or zero.
	Ran, Ended time.Time
	// Working reports whether a run or a guard works on the cluster.
	Working bool
}

// Entry is a member in a wave.
type Entry struct {
	Member v1alpha1.RolloutMember
	Now    *Member // nil if it is gone
}

// Group is a wave with its members, in the order in which they begin.
type Group struct {
	Wave    v1alpha1.Wave
	Entries []Entry
}

// Sort returns the waves of a rollout in the order of its spec with the members that each
// matches, sorted by name. A member belongs to the first wave that matches it. The error names an
// invalid selector.
func Sort(r *v1alpha1.MigrationRollout, members []Member) ([]Group, error) {
	all, err := selectorOf(r.Spec.Selector)
	if err != nil {
		return nil, err
	}
	members = slices.SortedFunc(slices.Values(members), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	taken := map[string]bool{}
	var groups []Group
	for _, wave := range r.Spec.Waves {
		matches, err := matcher(wave)
		if err != nil {
			return nil, err
		}
		group := Group{Wave: wave}
		for i := range members {
			m := &members[i]
			if taken[m.Name] || !all.Matches(labels.Set(m.Labels)) || !matches(m) {
				continue
			}
			taken[m.Name] = true
			group.Entries = append(group.Entries, Entry{Member: v1alpha1.RolloutMember{Cluster: m.Name, Wave: wave.Name, Plan: m.Plan}, Now: m})
		}
		groups = append(groups, group)
	}
	return groups, nil
}

// Missing is a cluster that a wave names and does not have.
type Missing struct {
	Wave, Cluster string
	// Exists reports whether there is a member of this name.
	Exists bool
	// TakenBy is the earlier wave that has it, or empty.
	TakenBy string
}

// FindMissing returns the clusters that waves name and do not have, in the order of the spec. groups
// are the members as Sort returns them.
func FindMissing(groups []Group, members []Member) []Missing {
	waveOf := map[string]string{}
	for _, group := range groups {
		for _, entry := range group.Entries {
			waveOf[entry.Member.Cluster] = group.Wave.Name
		}
	}
	var missing []Missing
	for _, group := range groups {
		for _, name := range group.Wave.Clusters {
			if waveOf[name] != group.Wave.Name {
				missing = append(missing, Missing{Wave: group.Wave.Name, Cluster: name, TakenBy: waveOf[name],
					Exists: slices.ContainsFunc(members, func(m Member) bool { return m.Name == name })})
			}
		}
	}
	return missing
}

// matcher returns whether a wave names a member or selects its labels. A wave with neither matches
// every member.
func matcher(wave v1alpha1.Wave) (func(*Member) bool, error) {
	if wave.Selector == nil && len(wave.Clusters) > 0 {
		return func(m *Member) bool { return slices.Contains(wave.Clusters, m.Name) }, nil
	}
	selector, err := selectorOf(wave.Selector)
	if err != nil {
		return nil, err
	}
	return func(m *Member) bool {
		return slices.Contains(wave.Clusters, m.Name) || selector.Matches(labels.Set(m.Labels))
	}, nil
}

// selectorOf returns a selector. An absent one selects everything, as an empty one does.
func selectorOf(of *metav1.LabelSelector) (labels.Selector, error) {
	if of == nil {
		return labels.Everything(), nil
	}
	return metav1.LabelSelectorAsSelector(of)
}

// Approved returns the waves with the members of the approval, and the members that match a wave
// and are not part of it.
func Approved(r *v1alpha1.MigrationRollout, members []Member) (groups []Group, others []Entry, err error) {
	sorted, err := Sort(r, members)
	if err != nil {
		return nil, nil, err
	}
	approved := map[string]bool{}
	for _, wave := range r.Spec.Waves {
		group := Group{Wave: wave}
		for _, member := range r.Spec.Approved.Members {
			if member.Wave != wave.Name {
				continue
			}
			approved[member.Cluster] = true
			entry := Entry{Member: member}
			if i := slices.IndexFunc(members, func(m Member) bool { return m.Name == member.Cluster }); i >= 0 {
				entry.Now = &members[i]
			}
			group.Entries = append(group.Entries, entry)
		}
		groups = append(groups, group)
	}
	for _, group := range sorted {
		for _, entry := range group.Entries {
			if !approved[entry.Member.Cluster] {
				others = append(others, entry)
			}
		}
	}
	return groups, others, nil
}

// InForce reports whether the approval of a rollout is one for its goal.
func InForce(r *v1alpha1.MigrationRollout) bool {
	return r.Spec.Approved != nil && r.Spec.Approved.Goal == GoalOf(r)
}
