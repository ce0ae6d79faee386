package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// unanswered holds flags without --edits, for an unreachable target.
type unanswered struct {
	t     *testing.T
	reach bool
}

func (u unanswered) Asked(target.Output) (target.Asked, error) {
	return target.Asked{Target: u, Unanswered: true}, nil
}

func (u unanswered) Connect(context.Context, session.Options, session.Access) (*session.Session, error) {
	if !u.reach {
		u.t.Error("reached the cluster before the answer")
	}
	return nil, &fault.Error{Class: fault.CouldNotLook}
}

// Without a user to ask, the command line must name the owner of Rancher's object.
func TestNobodySaidWhoKeepsTheCluster(t *testing.T) {
	for name, tt := range map[string]struct {
		engine engineFlags
		class  fault.Class
	}{
		"with --yes":             {engineFlags{Yes: true}, fault.Usage},
		"with --plan":            {engineFlags{Plan: "plan.json"}, fault.Usage},
		"where a person is":      {engineFlags{}, fault.CouldNotLook},
		"back after a failure":   {engineFlags{Yes: true, answered: true}, fault.CouldNotLook},
		"for a look, with a yes": {engineFlags{Yes: true, DryRun: true}, fault.CouldNotLook},
	} {
		tt.engine.OnFailure, tt.engine.Timeout = "stop", 1
		var out bytes.Buffer
		a := &app.App{Output: "text", Streams: console.Streams{Out: &out, Err: &out, Env: func(string) string { return "" }}, Signals: &app.Signals{}, Unwatched: &app.Unwatched{}}
		err := runMigration(t.Context(), a, unanswered{t, tt.class != fault.Usage}, &tt.engine)
		if fault.ClassOf(err) != tt.class || tt.class == fault.Usage && !strings.Contains(err.Error(), "Terraform") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Before the question, the user reads which owner cannot be detected.
func TestTheQuestionNamesTerraform(t *testing.T) {
	informed := []target.Option{{Flag: "owner-informed"}}
	for name, tt := range map[string]struct {
		engine engineFlags
		shows  bool
	}{"--edits is open": {engineFlags{ask: true}, true}, "--edits": {engineFlags{}, false}, "--owner-informed": {engineFlags{ask: true, typed: informed}, false}} {
		var out bytes.Buffer
		a := &app.App{Streams: console.Streams{In: strings.NewReader("yes\n"), Out: &out, Err: &out, InTerminal: true}, Signals: &app.Signals{HangUps: make(chan struct{})}}
		err := approver(a, &tt.engine, view.Commands{}, func() {})(t.Context(), session.Proposal{})
		if err != nil || strings.Contains(out.String(), "Terraform often leaves no mark") != tt.shows {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}
