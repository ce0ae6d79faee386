package rollout

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

func TestRenew(t *testing.T) {
	now := time.Date(2026, 11, 28, 10, 0, 0, 5, time.FixedZone("CET", 3600))
	begin := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	waits := Mark{Rollout: "eu", UID: "u1", Goal: v1alpha1.GoalMigrate}
	began := waits
	began.Began, began.Deadline = begin.Add(-48*time.Hour), begin.Add(-24*time.Hour)
	for _, tt := range []struct {
		mark     Mark
		deadline string
		began    time.Time
		length   time.Duration
	}{
		{waits, "", begin, 24 * time.Hour},
		{waits, "90m", begin, 90 * time.Minute},
		{began, "90m", began.Began, 90 * time.Minute},
	} {
		expected := waits
		expected.Began, expected.Deadline = tt.began, begin.Add(tt.length)
		got := tt.mark.Renew(v1alpha1.Wave{Name: "first", Deadline: tt.deadline}, now)
		if got != expected {
			t.Errorf("%+v: %+v, wanted %+v", tt, got, expected)
		}
		text, err := got.Text()
		if read := MarkOf(annotated(text)); err != nil || read != got {
			t.Errorf("%+v: read again as %+v, %v", tt, read, err)
		}
	}
}

func annotated(text string) *v1alpha1.ClusterMigration {
	m := &v1alpha1.ClusterMigration{}
	m.Annotations = map[string]string{Annotation: text}
	return m
}
