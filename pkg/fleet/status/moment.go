package status

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Moment is what there is to say of a cluster at one time.
type Moment struct {
	State   State
	Reason  Reason // "": the state's name
	Message string // what is seen and what to do, for a person; "": the state's own
	Cause   string // what led to it, in front of the message; "": nothing to say
	Owner   Agreement
	// Generation is that of the spec which this answers.
	Generation int64
}

// Agreement is whether the Cluster object has what the cluster is.
type Agreement struct {
	State   metav1.ConditionStatus // "": not known
	Manager string                 // who last wrote it, as its managed fields say; "": not known
}

// Reasons of the condition OwnerAgrees. Where a field manager is known it is the message:
// a reason takes no name of just any form.
const (
	ownerUnknown  Reason = "NotLookedAt"
	ownerAgrees   Reason = "AsTheClusterIs"
	ownerReverted        = Reverted
)

// Display is the moment for Rancher's UI.
func (m Moment) Display() *v1alpha1.Display {
	shown := looks[m.State]
	return &v1alpha1.Display{State: shown.word, Transitioning: shown.working, Error: shown.stalled, Message: prose(m.message(), longMessage)}
}

// Conditions is the moment for tools. Those of before give the times at which a condition
// last changed; now is that of one that changes.
func (m Moment) Conditions(before []metav1.Condition, now time.Time) []metav1.Condition {
	shown := looks[m.State]
	var after []metav1.Condition
	for _, c := range []metav1.Condition{
		m.condition(v1alpha1.ConditionReady, truth(shown.ready)),
		m.condition(v1alpha1.ConditionReconciling, truth(shown.working)),
		m.condition(v1alpha1.ConditionStalled, truth(shown.stalled)),
		m.ownerAgrees(),
	} {
		c.LastTransitionTime = metav1.NewTime(now.UTC().Truncate(time.Second)) // as it is stored
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
	return metav1.Condition{Type: of, Status: status, ObservedGeneration: m.Generation, Reason: string(reason), Message: prose(m.message(), shortMessage)}
}

// ownerAgrees is False wherever the moment is a revert: the two cannot differ.
func (m Moment) ownerAgrees() metav1.Condition {
	c := metav1.Condition{Type: v1alpha1.ConditionOwnerAgrees, Status: m.Owner.State, ObservedGeneration: m.Generation}
	if m.State == Stalled && m.Reason == Reverted {
		c.Status = metav1.ConditionFalse
	}
	switch c.Status {
	case metav1.ConditionTrue:
		c.Reason, c.Message = string(ownerAgrees), "the Cluster object has what the cluster is"
	case metav1.ConditionFalse:
		c.Reason, c.Message = string(ownerReverted), "somebody took the configuration of the Cluster object back"
		if m.Owner.Manager != "" {
			c.Message = prose(m.Owner.Manager+" took the configuration of the Cluster object back", shortMessage)
		}
	case metav1.ConditionUnknown, "":
		c.Status, c.Reason, c.Message = metav1.ConditionUnknown, string(ownerUnknown), "nothing was written yet that somebody could take back"
	}
	return c
}

func (m Moment) message() string {
	message := m.Message
	if message == "" {
		message = looks[m.State].message
	}
	if m.Cause != "" {
		return m.Cause + "; " + message
	}
	return message
}

func truth(is bool) metav1.ConditionStatus {
	if is {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
