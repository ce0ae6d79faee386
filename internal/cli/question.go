package cli

import (
	"bufio"
	"context"
	"errors"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// approver asks once, before the first write. Without a terminal only --yes approves.
func approver(a *app.App, engine *engineFlags, next view.Commands, asking func()) func(context.Context, session.Proposal) error {
	return func(_ context.Context, proposed session.Proposal) error {
		if engine.Yes || engine.Plan != "" {
			return nil
		}
		if !a.Streams.InTerminal {
			return requireApproval(engine)
		}
		asking()
		proposed.Steps = engine.asked(proposed.Steps)
		view.WriteSteps(a.Streams, withRestore(proposed.Header, proposed.Basis), proposed.Steps)
		if engine.ask && !engine.informs() {
			console.Note(a.Streams, "a tool that owns this Cluster object, such as Terraform, Fleet or Argo CD, would revert the edits. Terraform often leaves no mark on it. If a tool owns it, answer no, and add --owner-informed TOOL or --edits handoff (docs/owners/README.md)")
		}
		return askUntil(a, questionOf(proposed, next))
	}
}

// requireApproval returns the error of a run that needs approval without a terminal.
func requireApproval(engine *engineFlags) error {
	fix := "look at `plan`, then add --yes"
	if engine.ask {
		fix += " and --edits apply, or handoff"
	}
	return &fault.Error{Class: fault.Declined, Reason: "NoTerminal", Object: "this run",
		Seen: "needs a yes and standard input is no terminal", Fix: fix}
}

func questionOf(proposed session.Proposal, next view.Commands) view.Question {
	q := view.Question{Cluster: proposed.Cluster, Steps: proposed.Steps, Next: next}
	for _, to := range proposed.To {
		q.To = append(q.To, view.Destination{File: to.File, Context: to.Context, Server: to.Server})
	}
	return q
}

// askUntil returns the answer to the question, and repeats the question after the requested details.
// Any answer but yes is a no, and so is the end of the input.
func askUntil(a *app.App, question view.Question) error {
	in := bufio.NewReader(a.Streams.In) // one for all answers: it may have read more than a line
	for {
		view.WriteQuestion(a.Streams, question)
		answer, err := a.ReadAnswer(in)
		switch {
		case errors.Is(err, app.ErrInterrupted):
			return &fault.Error{Class: fault.Interrupted, Reason: "Interrupted", Object: "this run", Seen: "stopped at the question; nothing was written"}
		case a.Signals.HungUp():
			return &fault.Error{Class: fault.HungUp, Reason: "HungUp", Object: "this run", Seen: "the terminal was closed before approval; nothing was written", Err: app.IgnoreEOF(err)}
		case err == nil && strings.TrimSpace(answer) == "d":
			view.WriteEveryLine(a.Streams, question.Steps)
			continue
		case strings.TrimSpace(answer) == "yes":
			return nil
		}
		return &fault.Error{Class: fault.Declined, Reason: "Declined", Object: "this run", Seen: "not approved; nothing was written", Wanted: "yes", Fix: "run the same command again, and answer yes", Err: app.IgnoreEOF(err)}
	}
}
