package app

import (
	"os"
	"path/filepath"
	"testing"
)

// A line that one stream has begun, such as a question, does not run together with the next stream's.
func TestRunLogWrite_twoStreams_linesApart(t *testing.T) {
	log := &runLog{path: filepath.Join(t.TempDir(), "run.log"), command: "awsmigrate rke"}
	out, err := &outlet{moved: true, log: log}, &outlet{moved: true, log: log}
	for _, one := range []struct {
		to   *outlet
		text string
	}{{out, "a wait (28s)"}, {err, "the API server is away\n"}, {out, "one "}, {out, "line\r\n"}, {err, "ends"}, {out, "\nhere\n"}} {
		if _, e := one.to.Write([]byte(one.text)); e != nil {
			t.Fatal(e)
		}
	}
	log.close()
	got, e := os.ReadFile(log.path)
	if want := "awsmigrate rke\na wait (28s)\nthe API server is away\none line\nends\nhere\n"; e != nil || string(got) != want {
		t.Errorf("%v, %q, want %q", e, got, want)
	}
}
