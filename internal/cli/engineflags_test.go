package cli

import (
	"errors"
	"testing"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestDurationsThatWouldBecomeDefaultsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		args []string
		ok   bool
	}{
		{nil, true},
		{[]string{"--timeout", "1s", "--deadline", "2h"}, true},
		{[]string{"--timeout", "0"}, false},
		{[]string{"--timeout", "-1s"}, false},
		{[]string{"--deadline", "-1s"}, false},
		{[]string{"--on-failure", "stop"}, true},
		{[]string{"--on-failure", "undo"}, true},
		{[]string{"--on-failure", "retry"}, false},
	} {
		engine, flags := &engineFlags{}, pflag.NewFlagSet("rke2", pflag.ContinueOnError)
		engine.register(flags)
		if err := flags.Parse(tt.args); err != nil {
			t.Fatal(err)
		}
		err := errors.Join(target.CheckFlags(flags, options.Run), engine.check())
		if (err == nil) != tt.ok || (err != nil && fault.ClassOf(err) != fault.Usage) {
			t.Errorf("%v: %v", tt.args, err)
		}
	}
}

// The question before the first write is about the steps of the run.
func TestOnlyStepsOfTheRunAreAskedAbout(t *testing.T) {
	steps := []runner.PlannedStep{}
	for _, id := range []journal.StepID{"preflight", "enable-leader-migration", "install-ccm"} {
		steps = append(steps, runner.PlannedStep{Info: runner.Info{ID: id}})
	}
	for want, flags := range map[int]engineFlags{3: {}, 2: {Until: "enable-leader-migration"}, 1: {Step: "preflight"}} {
		if got := flags.asked(steps); len(got) != want {
			t.Errorf("%+v: %d steps, wanted %d", flags, len(got), want)
		}
	}
}
