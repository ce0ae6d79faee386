package session

import (
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Only a run that worked before and after the reading softens its report.
func TestDuringRun(t *testing.T) {
	at := func(id string, step journal.StepID, life runner.Life) *runner.Account {
		return &runner.Account{ID: id, Life: life, Announcement: runner.Announcement{Step: step, Options: map[string]string{"--install-method": "additional-manifest"}}}
	}
	works := at("r", migration.StepInstall, runner.LifeWorks)
	for name, tt := range map[string]struct {
		before, after *runner.Account
		want          []verify.Subject
	}{
		"sameStep_changesIt":     {works, works, []verify.Subject{verify.CCM, verify.Rollout, verify.CCM, verify.Rollout}},
		"nextStep_changesBoth":   {at("r", migration.StepLeaseAccess, runner.LifeWorks), works, []verify.Subject{verify.Grant, verify.CCM, verify.Rollout}},
		"noRun_nothing":          {nil, nil, nil},
		"begunMeanwhile_nothing": {nil, works, nil},
		"endedMeanwhile_nothing": {works, nil, nil},
		"otherRun_nothing":       {at("q", migration.StepInstall, runner.LifeWorks), works, nil},
		"dead_nothing":           {works, at("r", migration.StepInstall, runner.LifeDead), nil},
		"silent_nothing":         {at("r", migration.StepInstall, runner.LifeSilent), works, nil},
		"beforeItsSteps_nothing": {at("r", "", runner.LifeWorks), at("r", "", runner.LifeWorks), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Reading{}).duringRun(tt.before, tt.after); !slices.Equal(got.Changing, tt.want) {
				t.Errorf("%v, wanted %v", got.Changing, tt.want)
			}
		})
	}
}
