package view

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// The measured pauses stand on the last screen, with a board or without, and in the document.
func TestEndTellsPauses(t *testing.T) {
	result := runner.Result{Position: "P5", Pauses: []time.Duration{5600 * time.Millisecond, 17 * time.Second}}
	for progress, want := range map[Progress]string{
		ProgressPlain: "pause  the cloud controllers changed hands, and were away for at most 5.6s, then 17s\n",
		ProgressNone:  "pause  the cloud controllers changed hands, and were away for at most 5.6s, then 17s\n",
	} {
		var out bytes.Buffer
		shown := NewRun(Output{Streams: Streams{Out: &out, Err: &out}, Format: "text", Progress: progress}, Commands{})
		if err := shown.Finish(result, nil); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v, progress %v:\n%s", err, progress, out.String())
		}
	}
	if doc := newRunResult(result, time.Minute, ""); !slices.Equal(doc.Pauses, []float64{5.6, 17}) {
		t.Errorf("the document has %v", doc.Pauses)
	}
	var out bytes.Buffer
	writeEnd(newScreen(Streams{}, &out), ending{result: runner.Result{Position: "P5"}}, Commands{})
	if strings.Contains(out.String(), "pause") {
		t.Errorf("none was measured: %s", out.String())
	}
}
