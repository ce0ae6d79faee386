package cli

import (
	"context"

	"github.com/awsmigrate/awsmigrate/internal/cli/notify"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/runview"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// teller tells whoever looks away from a run: the bell rings where a board is drawn.
func (a *app) teller(engine *engineFlags, progress runview.Progress) notify.Teller {
	t := notify.Teller{Command: engine.Notify, Say: a.say}
	if progress == runview.ProgressBoard {
		t.Bell = a.streams.Err
	}
	return t
}

// question tells that the run asks before its first write. Nobody who is there waits for
// what a command makes of it.
func (a *app) question(ctx context.Context, engine *engineFlags, progress runview.Progress, words target.Words) func() {
	return func() {
		t := a.teller(engine, progress)
		t.Ring()
		t.Bell = nil
		go t.Tell(ctx, notify.Notice{Kind: notify.Question, Target: targetOf(words), Message: "asks whether to begin"})
	}
}

// endOf is the end of a run, which failed with err, if it did.
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
