package cli

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
)

// handOff prints what whoever keeps the configuration has to commit next, and nothing
// else on standard output: it goes into a file.
func handOff(ctx context.Context, a *app, flags target.Flags, form string, all bool) error {
	if a.output != "text" {
		return fault.AsUsage(fmt.Errorf("flag --handoff: prints a fragment; wanted -o text"))
	}
	s, _, err := target.Open(ctx, flags, a.opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	kept, err := s.Journal.Load(ctx)
	if err != nil {
		return err
	}
	seen, _, err := s.Look(ctx, kept.Record()) // in the middle of an undo the next edit goes back
	if err != nil {
		return err
	}
	text, err := s.Procedure.Handoff(ctx, seen, form, all)
	if err != nil {
		return err
	}
	if text == "" {
		fmt.Fprintln(a.streams.Err, "nothing is left to commit")
		return nil
	}
	fmt.Fprint(a.streams.Out, text)
	fmt.Fprintln(a.streams.Err, procedure.NeverAlone) // not every form has room for it
	return nil
}
