package sim

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/test/trace"
)

var update = flag.Bool("update", false, "write the files of test/trace anew")

// newJournalRecording returns the recording of one run, which is kept only next to its journal.
func newJournalRecording(t *testing.T) *recording.Recording {
	t.Helper()
	kept, err := recording.Open(recording.Options{Store: true, Clock: clock.RealClock{}, Say: func(line string) { t.Error(line) }})
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// A migration writes the same here as on the lab, in the same order: the end-to-end tests compare
// the lab's runs with the same files.
func TestWritesWhatItWritesOnTheLab(t *testing.T) {
	for _, s := range scenarios[:natural] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w, r := s.world(), s.run
			var writes []trace.Write
			r.ID = runID(1)
			r.After = func(c Call) {
				if c.Writes && c.Server != "file" {
					writes = append(writes, trace.Write{Server: c.Server, Verb: c.Verb, Path: c.Path})
				}
			}
			kept := newJournalRecording(t)
			r.Recording = kept
			if ended := do(t, r, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			if kept.Kept().Run != r.ID {
				t.Errorf("kept next to the journal: %+v", kept.Kept())
			}
			got := trace.Lines(writes)
			if *update {
				text := strings.Join(got, "\n") + "\n"
				if err := os.WriteFile(filepath.Join("..", "trace", trace.File(s.name)), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := trace.Wanted(s.name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the simulated run has other writes (-wanted +got):\n%s", diff)
			}
		})
	}
}
