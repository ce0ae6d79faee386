package controller

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// A cluster that was not reached keeps the name, position, plan and runs that were last seen.
func TestStatusOf_notReached_keepsWhatWasSeen(t *testing.T) {
	was := v1alpha1.ClusterMigrationStatus{DisplayName: "legacy", Position: "P3", Plan: &v1alpha1.Plan{Hash: "sha256:1"}, History: []v1alpha1.PastRun{{ID: "r"}}, Handoff: &v1alpha1.Handoff{}}
	c := &Controller{o: Options{Clock: clocktesting.NewFakeClock(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))}}
	for name, l := range map[string]*look{"not yet": nil, "an error": {err: errors.New("refused")}, "gone": {gone: true}} {
		got := c.statusOf(&cluster{look: l}, &v1alpha1.ClusterMigration{Status: was}, status.Moment{State: status.Pending})
		got.Display, got.Conditions = nil, nil
		if !equality.Semantic.DeepEqual(got, was) {
			t.Errorf("%s: %+v, wanted %+v", name, got, was)
		}
	}
	seen := &look{}
	seen.seen.DisplayName = "renamed"
	if got := c.statusOf(&cluster{look: seen}, &v1alpha1.ClusterMigration{Status: was}, status.Moment{}); got.DisplayName != "renamed" || got.Plan != nil || got.History != nil {
		t.Errorf("after a look: %+v", got)
	}
}
