package cli

import (
	"context"
	"errors"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// unfitScript is a cluster that the checks stop at.
type unfitScript struct {
	*script
	looked bool
}

func (u *unfitScript) Header() []string { return nil }
func (u *unfitScript) Paused() string   { return "" }

func (u *unfitScript) Precheck(context.Context) error {
	u.looked = true
	return errors.New("unfit")
}

// What would stop the preflight is told before anybody is asked and before the
// lock; a step that a killed run left in progress is taken up all the same.
func TestCheckedFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		kind        runner.StateKind
		looks, asks bool
	}{
		"nothing begun": {runner.Todo, true, false},
		"in progress":   {runner.InProgress, false, true},
	} {
		cluster, asked := &unfitScript{script: wholeScript()}, false
		approve := checkedFirst(cluster, func(context.Context, runner.Observation, []runner.PlannedStep) error { asked = true; return nil })
		err := approve(t.Context(), runner.Observation{States: map[runner.StepID]runner.State{"a": {Kind: tt.kind}}}, nil)
		if cluster.looked != tt.looks || asked != tt.asks || (err == nil) != tt.asks {
			t.Errorf("%s: looked %t, asked %t, %v", name, cluster.looked, asked, err)
		}
	}
}
