package status

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Moment is the state of a cluster at one time, for presentation.
type Moment struct {
	State   State
	Reason  Reason // if empty, the state's name
	Message string // observation and advice for a person; if empty, the state's default
	Cause   string // cause, shown before the message, or empty
	Owner   Agreement
	// Generation is the generation of the spec that this state belongs to.
	Generation int64
}

// Agreement reports whether the Cluster object matches the cluster.
type Agreement struct {
	State   metav1.ConditionStatus // empty if unknown
	Manager string                 // its last writer according to managed fields; empty if unknown
}

// Reasons of the condition OwnerAgrees. A known field manager is named in the message, because
// not every name is valid as a reason.
const (
	ownerUnknown  Reason = "NotLookedAt"
	ownerAgrees   Reason = "AsTheClusterIs"
	ownerReverted        = Reverted
)

// Display returns the moment for Rancher's UI.
func (m Moment) Display() *v1alpha1.Display {
	shown := presentations[m.State]
	return &v1alpha1.Display{State: shown.word, Transitioning: shown.working, Error: shown.stalled, Message: prose(m.message(), maxMessage)}
}

// Conditions returns the moment for tools. A condition whose status is unchanged since before
// keeps its transition time; others get now.
func (m Moment) Conditions(before []metav1.Condition, now time.Time) []metav1.Condition {
	return since(append(m.ofWork(), m.ownerAgrees()), before, now)
}

// RolloutConditions returns the moment of a rollout for tools. A rollout has no owner that could
// agree.
func (m Moment) RolloutConditions(before []metav1.Condition, now time.Time) []metav1.Condition {
	return since(m.ofWork(), before, now)
}

func (m Moment) ofWork() []metav1.Condition {
	shown := presentations[m.State]
	return []metav1.Condition{
		m.condition(v1alpha1.ConditionReady, conditionStatus(shown.ready)),
		m.condition(v1alpha1.ConditionReconciling, conditionStatus(shown.working)),
		m.condition(v1alpha1.ConditionStalled, conditionStatus(shown.stalled)),
	}
}

// since sets the transition times of conditions.
func since(all, before []metav1.Condition, now time.Time) []metav1.Condition {
	var after []metav1.Condition
	for _, c := range all {
		c.LastTransitionTime = metav1.NewTime(now.UTC().Truncate(time.Second)) // precision of the API server
		if old := meta.FindStatusCondition(before, c.Type); old != nil && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		after = append(after, c)
	}
	return after
}

func (m Moment) condition(of string, status metav1.ConditionStatus) metav1.Condition {
	reason := m.Reason
	if reason == "" {
		reason = Reason(m.State)
	}
	return metav1.Condition{Type: of, Status: status, ObservedGeneration: m.Generation, Reason: string(reason), Message: prose(m.message(), maxConditionMessage)}
}

// ownerAgrees returns the condition OwnerAgrees. It is False if the moment is a revert, so that
// both agree.
func (m Moment) ownerAgrees() metav1.Condition {
	c := metav1.Condition{Type: v1alpha1.ConditionOwnerAgrees, Status: m.Owner.State, ObservedGeneration: m.Generation}
	if m.State == Stalled && m.Reason == Reverted {
		c.Status = metav1.ConditionFalse
	}
	switch c.Status {
	case metav1.ConditionTrue:
		c.Reason, c.Message = string(ownerAgrees), "the Cluster object has what the cluster is"
	case metav1.ConditionFalse:
		c.Reason, c.Message = string(ownerReverted), "the Cluster's configuration was reverted"
		if m.Owner.Manager != "" {
			c.Message = prose(m.Owner.Manager+" reverted the Cluster's configuration", maxConditionMessage)
		}
	case metav1.ConditionUnknown, "":
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, string(ownerUnknown), "nothing was written yet that could be reverted"
	}
	return c
}

func (m Moment) message() string {
	message := m.Message
	if message == "" {
		message = presentations[m.State].message
	}
	if m.Cause != "" {
		return m.Cause + "; " + message
	}
	return message
}

func conditionStatus(is bool) metav1.ConditionStatus {
	if is {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
