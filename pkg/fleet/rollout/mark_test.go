package rollout

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

func TestRenew(t *testing.T) {
	now := time.Date(2026, 11, 28, 10, 0, 0, 5, time.FixedZone("CET", 3600))
	begin := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	before := Mark{Rollout: "eu", UID: "u1", Goal: v1alpha1.GoalMigrate, Began: begin.Add(-48 * time.Hour), Deadline: begin.Add(-24 * time.Hour)}
	for deadline, want := range map[string]time.Duration{"": 24 * time.Hour, "90m": 90 * time.Minute} {
		expected := before
		expected.Began, expected.Deadline = begin, begin.Add(want)
		got := before.Renew(v1alpha1.Wave{Name: "first", Deadline: deadline}, now)
		if got != expected {
			t.Errorf("deadline %q: %+v, wanted %+v", deadline, got, expected)
		}
		text, err := got.Text()
		if read := MarkOf(annotated(text)); err != nil || read != got {
			t.Errorf("deadline %q: read again as %+v, %v", deadline, read, err)
		}
	}
}

func annotated(text string) *v1alpha1.ClusterMigration {
	m := &v1alpha1.ClusterMigration{}
	m.Annotations = map[string]string{Annotation: text}
	return m
}
