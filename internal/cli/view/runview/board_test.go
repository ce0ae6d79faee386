package runview

import (
	"bytes"
	"testing"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// The board does not overwrite a question that follows a watched step. It is drawn again for the next step.
func TestBoardView_MakeRoom_drawsNothingUntilTheNextStep(t *testing.T) {
	var screen bytes.Buffer
	v := newBoard(Output{Streams: console.Streams{Out: &screen, Err: &screen, ErrTerminal: true}, Format: "text", Clock: clock.RealClock{}}, view.Commands{}, &screen)
	for range 2 {
		v.Emit(runner.Event{Type: runner.StepStarted, Step: "one", Title: "one"})
		if v.work == nil {
			t.Fatal("nothing is drawn in a step")
		}
		v.Emit(runner.Event{Type: runner.StepFinished, Step: "one"})
		v.MakeRoom()
		before := screen.Len()
		v.Emit(runner.Event{Type: runner.StepWarning, Message: "two"})
		if v.work != nil || screen.Len() == before {
			t.Fatal("it draws on, or keeps back a line")
		}
	}
}
