package lock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFiles(t *testing.T) {
	here, there := files{t.TempDir()}, files{t.TempDir()}
	here.Note("run-1", "7")
	here.Note("run-1", "8")
	for name, tt := range map[string]struct {
		at           files
		run, version string
		want         bool
	}{
		"the last it wrote":  {here, "run-1", "8", true},
		"one before":         {here, "run-1", "7", false},
		"another machine":    {there, "run-1", "8", false},
		"another run":        {here, "run-2", "8", false},
		"no version":         {here, "run-2", "", false},
		"a name with a path": {here, "../run-1", "8", false},
		"no place for files": {files{filepath.Join(here.dir, "none")}, "run-1", "8", false},
	} {
		if got := tt.at.Saw(tt.run, tt.version); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	here.Forget("run-1")
	if here.Saw("run-1", "8") {
		t.Error("it was not forgotten")
	}
}

// The directory is shared: no other user makes a run write, or read, through a link.
func TestFiles_link_isNotFollowed(t *testing.T) {
	dir, aim := t.TempDir(), filepath.Join(t.TempDir(), "aim")
	if err := os.WriteFile(aim, []byte("8"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(aim, filepath.Join(dir, "awsmigrate-run-1")); err != nil {
		t.Fatal(err)
	}
	f := files{dir}
	f.Note("run-1", "9")
	if kept, err := os.ReadFile(aim); err != nil || string(kept) != "8" || f.Saw("run-1", "8") {
		t.Errorf("%v: %q", err, kept)
	}
}
