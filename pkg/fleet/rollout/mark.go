package rollout

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Annotation on a ClusterMigration holds its Mark as JSON.
const Annotation = "awsmigrate.io/rollout"

// Mark records what a rollout has written to a ClusterMigration. The zero Mark means nothing.
type Mark struct {
	Rollout string        `json:"rollout"`
	UID     types.UID     `json:"uid"`
	Goal    v1alpha1.Goal `json:"goal"` // as the rollout set it
	// Began is the first start of the turn of the cluster, or zero before it.
	Began time.Time `json:"began,omitzero"`
	// Deadline is the end of the turn.
	Deadline time.Time `json:"deadline,omitzero"`
	// Retried reports whether the turn began again after a failure.
	Retried bool `json:"retried,omitempty"`
}

// maxMark bounds the text of a mark: a name of 253 characters, a UID, a goal and two times.
const maxMark = 1024

// MarkOf returns the mark of an object. An annotation that awsmigrate has not written is no mark.
func MarkOf(m *v1alpha1.ClusterMigration) Mark {
	text := m.Annotations[Annotation]
	var mark Mark
	if len(text) > maxMark || json.Unmarshal([]byte(text), &mark) != nil {
		return Mark{}
	}
	return mark
}

// Text returns the text of the annotation.
func (m Mark) Text() (string, error) {
	text, err := json.Marshal(m)
	return string(text), err
}

// begun reports whether the turn of the cluster began for a rollout with a goal.
func (m Mark) begun(r *v1alpha1.MigrationRollout) bool {
	return m.of(r) && !m.Began.IsZero()
}

// of reports whether the rollout set its present goal.
func (m Mark) of(r *v1alpha1.MigrationRollout) bool {
	return m.UID != "" && m.UID == r.UID && m.Goal == GoalOf(r)
}

// GoalOf returns the goal of a rollout. An absent one means Migrate.
func GoalOf(r *v1alpha1.MigrationRollout) v1alpha1.Goal {
	if r.Spec.Goal == "" {
		return v1alpha1.GoalMigrate
	}
	return r.Spec.Goal
}

// Renew returns the mark with a turn in a wave that begins now, or goes on until a new deadline.
func (m Mark) Renew(wave v1alpha1.Wave, now time.Time) Mark {
	now = now.UTC().Truncate(time.Second)
	if m.Began.IsZero() {
		m.Began = now
	}
	m.Deadline = now.Add(durationOf(wave.Deadline, DefaultDeadline))
	return m
}
