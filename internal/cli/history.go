package cli

import (
	"context"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
)

// showHistory prints the runs and undos of the journal.
func showHistory(ctx context.Context, a *app, flags target.Flags) error {
	s, _, err := target.Open(ctx, flags, a.opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	state, err := s.Journal.Load(ctx)
	if err != nil {
		return err
	}
	doc := view.NewHistory(s.Procedure.Target(), state.Runs)
	if a.output == "text" {
		view.WriteHistory(a.streams, doc)
		return nil
	}
	return view.WriteDocument(a.streams.Out, a.output, doc)
}
