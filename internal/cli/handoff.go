package cli

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// handOff prints what whoever keeps the configuration has to commit next, and nothing
// else on standard output: it goes into a file.
func handOff(ctx context.Context, a *app, flags target.Opener, form string, all bool) error {
	if a.output != "text" {
		return fault.AsUsage(fmt.Errorf("flag --handoff: prints a fragment; wanted -o text"))
	}
	session, err := flags.Open(ctx, a.opening(), target.ReadOnly)
	if err != nil {
		return err
	}
	seen, _, _, err := runner.PlanAll[migration.Snapshot](ctx, session.Procedure, session.Journal)
	if err != nil {
		return err
	}
	text, err := session.Procedure.Handoff(ctx, seen, form, all)
	if err != nil {
		return err
	}
	if text == "" {
		fmt.Fprintln(a.streams.Err, "nothing is left to commit")
		return nil
	}
	fmt.Fprint(a.streams.Out, text)
	return nil
}
