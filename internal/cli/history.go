package cli

import (
	"context"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/session"
)

// showHistory prints the runs and undos of the journal.
func showHistory(ctx context.Context, a *app.App, flags target.Flags) error {
	s, _, err := target.Open(ctx, flags, a.Opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	state, err := s.Journal.Load(ctx)
	if err != nil {
		return err
	}
	doc := view.NewHistory(s.Procedure.Target(), state.Runs)
	if a.Output == "text" {
		view.WriteHistory(a.Streams, doc)
		return nil
	}
	return view.WriteDocument(a.Streams.Out, a.Output, doc)
}
