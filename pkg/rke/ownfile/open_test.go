//go:build unix

package ownfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

const victimText = "the victim's own text\n"

// traps returns what another user with write access to the folder can put in the place of our
// file. Each function returns the victim that must remain unchanged, if any.
func traps(t *testing.T) map[string]func(t *testing.T, path string) string {
	t.Helper()
	victim := func(t *testing.T) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(path, []byte(victimText), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]func(t *testing.T, path string) string{
		"symbolic link": func(t *testing.T, path string) string {
			v := victim(t)
			must(t, os.Symlink(v, path))
			return v
		},
		"hard link": func(t *testing.T, path string) string {
			v := filepath.Join(filepath.Dir(path), "victim")
			must(t, os.WriteFile(v, []byte(victimText), 0o600))
			must(t, os.Link(v, path))
			return v
		},
		"link to nothing": func(t *testing.T, path string) string {
			must(t, os.Symlink(filepath.Join(t.TempDir(), "made"), path))
			return ""
		},
		"pipe":      func(t *testing.T, path string) string { must(t, syscall.Mkfifo(path, 0o600)); return "" },
		"directory": func(t *testing.T, path string) string { must(t, os.Mkdir(path, 0o700)); return "" },
	}
	if os.Geteuid() == 0 { // as in CI; other users cannot change the owner
		all["another owner"] = func(t *testing.T, path string) string {
			must(t, os.WriteFile(path, []byte(victimText), 0o666))
			must(t, os.Chown(path, 65534, 65534))
			return path
		}
	}
	return all
}

func untouched(t *testing.T, victim, path string) {
	t.Helper()
	if target, err := os.Readlink(path); err == nil && victim == "" {
		if _, err := os.Stat(target); err == nil {
			t.Errorf("%s was made through a link", target)
		}
	}
	if victim == "" {
		return
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != victimText {
		t.Errorf("the victim is %q now, %v", text, err)
	}
}

func TestAcquire_foreignFile_refused(t *testing.T) {
	for name, trap := range traps(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cluster.yml.awsmigrate.lock")
			victim := trap(t, path)
			l := lockOf(path, 100)
			err := l.Acquire(t.Context())
			if f, ok := fault.As(err); !ok || f.Class != fault.Usage || f.Object != "file "+path {
				t.Errorf("got %v", err)
			}
			if held := l.Inner.(*freeLease).held.Load(); held != 0 {
				t.Errorf("the Lease is still held %d times", held)
			}
			if l.Busy() {
				t.Error("it is called busy")
			}
			untouched(t, victim, path)
		})
	}
}

func TestCreateLog_existingName_newFile(t *testing.T) {
	for name, trap := range traps(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cluster.yml.awsmigrate-run.log")
			victim := trap(t, path)
			log := logged(t, path, "said\n")
			if text, err := os.ReadFile(log); err != nil || string(text) != "said\n" || log == path {
				t.Errorf("%s holds %q, %v", log, text, err)
			}
			untouched(t, victim, path)
		})
	}
}

// logged creates a log with a text and returns its name.
func logged(t *testing.T, path, text string) string {
	t.Helper()
	file, err := CreateLog(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// Two runs of rke in one run of awsmigrate have separate logs.
func TestCreateLog_secondLog_nextNumber(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.yml.awsmigrate-run.log")
	var names []string
	for _, says := range []string{"first", "second"} {
		log := logged(t, path, says)
		if text, err := os.ReadFile(log); err != nil || string(text) != says {
			t.Errorf("%q, %v", text, err)
		}
		names = append(names, filepath.Base(log))
	}
	if got := strings.Join(names, " "); got != "cluster.yml.awsmigrate-run.log cluster.yml.awsmigrate-run-2.log" {
		t.Error(got)
	}
}

// The file of an earlier run remains and is overwritten.
func TestAcquire_oldFile_overwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, []byte(`{"run":"old","and":"longer than the next owner, by far, so that a rest would show"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := lockOf(path, 100)
	if err := l.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "old") {
		t.Errorf("%q, %v", text, err)
	}
}
