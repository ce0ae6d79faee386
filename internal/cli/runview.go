package cli

import (
	"io"
	"sync"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// runView shows a run as it goes and how it ended.
type runView interface {
	runner.Sink
	finish(runner.Result, error) error
}

func newRunView(a *app, target targetWords) runView {
	switch a.output {
	case "jsonl":
		return &eventStream{app: a, target: target, out: a.streams.Out}
	case "json", "yaml":
		return &documentView{app: a, target: target, progress: newTextView(a, target, a.streams.Err)}
	default:
		return newTextView(a, target, a.streams.Out)
	}
}

// runResultDocument is the one document of a run that ended well.
type runResultDocument struct {
	typeMeta
	RunID       string             `json:"runID"`
	Position    string             `json:"position"`
	Observation runner.Observation `json:"observation"`
	Steps       []stepResult       `json:"steps"`
	Seconds     float64            `json:"seconds"`      // how long the run took
	Added       float64            `json:"addedSeconds"` // of which awsmigrate waited to see a state hold
	Next        string             `json:"next"`         // the command for what is left, or a look
}

type stepResult struct {
	ID       runner.StepID  `json:"id"`
	Outcome  runner.Outcome `json:"outcome"`
	Seconds  float64        `json:"seconds"`
	Evidence []string       `json:"evidence,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
}

func newRunResult(result runner.Result, took time.Duration, next string) runResultDocument {
	doc := runResultDocument{typeMeta: kind("RunResult"), RunID: result.RunID, Position: result.Position,
		Observation: result.Observation, Seconds: took.Seconds(), Added: result.Added.Seconds(), Next: next}
	for _, s := range result.Steps {
		doc.Steps = append(doc.Steps, stepResult{ID: s.ID, Outcome: s.Outcome, Seconds: s.Elapsed.Seconds(),
			Evidence: s.Evidence, Warnings: s.Warnings})
	}
	return doc
}

// endDocument is RunResult for a run that ended well and Error otherwise.
func (a *app) endDocument(target targetWords, result runner.Result, took time.Duration, err error) any {
	if err == nil {
		return newRunResult(result, took, target.next(result.Observation))
	}
	doc := newErrorDocument(err)
	doc.Resume, doc.Left = result.Resume, result.Left
	return doc
}

// documentView prints one document at the end and progress on stderr.
type documentView struct {
	app      *app
	target   targetWords
	progress *textView
}

func (v *documentView) Emit(e runner.Event) { v.progress.Emit(e) }

func (v *documentView) finish(result runner.Result, err error) error {
	v.progress.leave()
	if writeErr := writeDocument(v.app.streams.Out, v.app.output, v.app.endDocument(v.target, result, v.progress.ended, err)); writeErr != nil {
		return writeErr
	}
	return shown(err)
}

// eventStream prints every event as a JSON line, the last line being the
// RunResult or the Error.
type eventStream struct {
	app    *app
	target targetWords
	out    io.Writer
	mu     sync.Mutex
	ended  time.Duration
}

type eventDocument struct {
	typeMeta
	runner.Event
	Error string `json:"error,omitempty"`
}

func (v *eventStream) Emit(e runner.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	e.Seconds = e.Elapsed.Seconds()
	if e.Type == runner.RunFinished {
		v.ended = e.Elapsed
	}
	if u := v.app.unwatched; u != nil && e.Type == runner.LockTaken {
		e.Message = u.named()
	}
	doc := eventDocument{typeMeta: typeMeta{APIVersion: apiVersion, Kind: "Event"}, Event: e} // the stream's last document names the build
	if e.Err != nil {
		doc.Error = e.Err.Error()
	}
	_ = writeDocument(v.out, "jsonl", doc) // nobody is left to tell
}

func (v *eventStream) finish(result runner.Result, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if writeErr := writeDocument(v.out, "jsonl", v.app.endDocument(v.target, result, v.ended, err)); writeErr != nil {
		return writeErr
	}
	return shown(err)
}
