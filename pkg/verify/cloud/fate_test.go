package cloud

import (
	"errors"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// An instance is gone only by an answer of EC2. Without one its state is unknown.
func TestFate(t *testing.T) {
	seen := func(state string) Facts {
		return Facts{On: true, Region: "eu-west-1, us-east-1", Instances: verify.Got(map[string]Instance{"i-1": {ID: "i-1", State: state}})}
	}
	with := func(f Facts, change func(*Facts)) Facts { change(&f); return f }
	for name, tt := range map[string]struct {
		facts    Facts
		zone, id string
		want     Fate
	}{
		"running_runs":             {seen("running"), "us-east-1a", "i-1", Runs},
		"stopped_stopped":          {seen("stopped"), "us-east-1a", "i-1", Stopped},
		"terminated_gone":          {seen("terminated"), "us-east-1a", "i-1", Gone},
		"shutting down_gone":       {seen("shutting-down"), "us-east-1a", "i-1", Gone},
		"no state_unknown":         {seen(""), "us-east-1a", "i-1", ""},
		"asked and not shown_gone": {seen("running"), "us-east-1a", "i-2", Gone},
		"another region_unknown":   {seen("running"), "us-west-2a", "i-2", ""},
		"no zone_unknown":          {seen("running"), "", "i-2", ""},
		"EC2 off_unknown":          {Facts{Off: "--aws off"}, "us-east-1a", "i-2", ""},
		"not read_unknown": {with(seen("running"), func(f *Facts) { f.Instances = verify.Failed[map[string]Instance](errors.New("away")) }),
			"us-east-1a", "i-1", ""},
		"its region did not answer_unknown": {with(seen("running"), func(f *Facts) { f.Missed = map[string]string{"us-east-1": "throttled"} }), "us-east-1a", "i-2", ""},
		"another one did not answer_gone":   {with(seen("running"), func(f *Facts) { f.Missed = map[string]string{"eu-west-1": "throttled"} }), "us-east-1a", "i-2", Gone},
		"none found at all_unknown":         {with(seen("running"), func(f *Facts) { f.Instances = verify.Got(map[string]Instance{}) }), "us-east-1a", "i-2", ""},
		"tagged and without a Node_runs":    {with(seen("running"), func(f *Facts) { f.Unclaimed = verify.Got([]Instance{{ID: "i-2", State: "running"}}) }), "us-east-1a", "i-2", Runs},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.facts.Fate(tt.zone, tt.id); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
