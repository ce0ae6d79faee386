package view

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func TestNextCommand(t *testing.T) {
	commands := Commands{Run: "go on", Status: "look"}
	todo := runner.Observation{States: map[journal.StepID]runner.State{"x": {Kind: runner.Todo}, "y": {Kind: runner.Done}}}
	if got := commands.Next(todo); got != "go on" {
		t.Errorf("steps are left, and the next command is %s", got)
	}
	always := runner.Observation{States: map[journal.StepID]runner.State{"x": {Kind: runner.Always}, "y": {Kind: runner.Done}}}
	if got := commands.Next(always); got != "look" {
		t.Errorf("nothing is left, and the next command is %s", got)
	}
}
