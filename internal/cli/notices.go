package cli

import (
	"context"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/notify"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// teller returns the notifier for a user who does not watch the run: the bell rings if a board is
// drawn.
func teller(a *app.App, engine *engineFlags, progress runview.Progress) notify.Teller {
	t := notify.Teller{Command: engine.Notify, Say: a.Say}
	if progress == runview.ProgressBoard {
		t.Bell = a.Streams.Err
	}
	return t
}

// ringer returns a function that notifies that the run asks before its first write. The question does not wait for the
// notification's command.
func ringer(ctx context.Context, a *app.App, engine *engineFlags, progress runview.Progress, words target.Words) func() {
	return func() {
		t := teller(a, engine, progress)
		t.Ring()
		t.Bell = nil
		go t.Tell(ctx, notify.Notice{Kind: notify.Question, Target: targetOf(words), Message: "asks whether to begin"})
	}
}

// endOf returns the notice of a run's end, with its error if it failed.
func endOf(words target.Words, result runner.Result, err error) notify.Notice {
	n := notify.Notice{Kind: notify.End, Target: targetOf(words), Position: result.Position, ExitCode: view.ExitCode(err), Message: "done"}
	if err != nil {
		n.Message = fault.Headline(err)
	}
	return n
}

func targetOf(words target.Words) string {
	return fault.Command(append([]string{words.Command}, words.Args...)...)
}
