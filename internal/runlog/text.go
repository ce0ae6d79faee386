package runlog

import (
	"fmt"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Text is a line for people: time, step, what happened. What belongs to it, such as
// evidence, follows indented. It ends with a newline.
func (l Line) Text() string {
	const indented = "\n                      "
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %-24s  %s", l.Time.UTC().Format(time.RFC3339), plaintext.Line(l.Step), plaintext.Tidy(l.says()))
	for _, more := range l.Lines {
		b.WriteString(indented + plaintext.Tidy(more))
	}
	return b.String() + "\n"
}

// says is what happened. Where an event has no text, its message is its own name.
func (l Line) says() string {
	message := l.Message
	if message == l.Event {
		message = ""
	}
	switch runner.EventType(l.Event) {
	case "":
		return followed(message, l.Error)
	case runner.RunStarted:
		return "run " + message + " begins" + at(l.Position)
	case runner.RunFinished:
		return "run " + message + l.ended()
	case runner.LockTaken:
		return followed("the cluster's lock is taken", message)
	case runner.StepStarted:
		return followed("begins", message)
	case runner.StepDone:
		return followed("was done before", message)
	case runner.StepSkipped:
		return followed("does not apply", message)
	case runner.StepWaiting:
		return "waits for " + l.WaitingFor + "; seen: " + l.Seen
	case runner.StepWarning:
		return followed("WARNING", message)
	case runner.StepFinished:
		return followed("finished"+l.took(), message)
	case runner.StepFailed:
		return followed("FAILED"+l.took(), l.Error)
	case runner.BrakePulled:
		return followed(followed("BRAKE", message), l.Error)
	case runner.Interrupting, runner.HungUp:
		return followed("asked to stop", message)
	default: // of a controller newer than this
		return followed(followed(l.Event, message), l.Error)
	}
}

func (l Line) ended() string {
	if l.Error != "" {
		return " FAILED" + l.took() + ": " + l.Error
	}
	return " finished" + l.took() + at(l.Position)
}

func (l Line) took() string {
	if l.Seconds <= 0 {
		return ""
	}
	took := time.Duration(l.Seconds * float64(time.Second)).Round(time.Second)
	return " after " + max(took, time.Second).String()
}

func at(position string) string {
	if position == "" {
		return ""
	}
	return " at " + position
}

func followed(text, by string) string {
	switch {
	case by == "":
		return text
	case text == "":
		return by
	}
	return text + ": " + by
}
