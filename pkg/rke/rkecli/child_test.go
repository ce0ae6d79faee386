package rkecli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// script creates an executable that behaves as rke does towards its parent.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rke")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStart(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		err  string // part of the error; empty if it succeeded
	}{
		"ends well":           {body: "echo 'INFO[0001] Finished building Kubernetes cluster successfully'\n"},
		"names its end":       {body: "echo 'INFO[0001] a'\necho 'FATA[0009] [controlPlane] Failed to bring up'\nexit 1\n", err: "[controlPlane] Failed to bring up"},
		"colours":             {body: "printf '\\033[31mFATA\\033[0m[0009] no space left\\n'\nexit 1\n", err: "exit status 1: no space left"},
		"says nothing":        {body: "exit 1\n", err: "exit status 1"},
		"loses a host":        {body: "echo 'WARN[0000] Failed to set up SSH tunneling for host [10.0.0.9]: dial'\nexit 1\n", err: "not reached: 10.0.0.9"},
		"no line end":         {body: "printf 'FATA[0009] cut off'\nexit 1\n", err: "cut off"},
		"host lost, exit 0":   {body: "echo 'WARN[0000] Removing host [10.0.0.9] from node lists'\n", err: "10.0.0.9"},
		"output on stderr":    {body: "echo 'FATA[0009] there' >&2\nexit 1\n", err: "there"},
		"killed by a signal":  {body: "kill -9 $$\n", err: "killed"},
		"arguments are given": {body: "test \"$1 $2 $3\" = 'up --config f'\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var live bytes.Buffer
			log := filepath.Join(t.TempDir(), "log")
			child, err := Start(script(t, c.body), []string{"up", "--config", "f"}, log, &live, nil, clock.RealClock{})
			if err != nil {
				t.Fatal(err)
			}
			<-child.Done()
			f, failed := fault.As(child.Err())
			if failed != (c.err != "") || failed && !strings.Contains(f.Seen, c.err) {
				t.Errorf("got %v, want %q", child.Err(), c.err)
			}
			kept, err := os.ReadFile(log)
			if err != nil || strings.TrimRight(live.String(), "\n") != strings.TrimRight(string(kept), "\n") {
				t.Errorf("shown %q, kept %q, %v", live.String(), kept, err)
			}
			if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("log: %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestStart_missingBinary_error(t *testing.T) {
	dir := t.TempDir()
	_, err := Start(filepath.Join(dir, "none"), nil, filepath.Join(dir, "log"), &bytes.Buffer{}, nil, clock.RealClock{})
	if fault.ClassOf(err) != fault.Usage {
		t.Errorf("got %v", err)
	}
	_, err = Start(script(t, ""), nil, filepath.Join(dir, "no", "log"), &bytes.Buffer{}, nil, clock.RealClock{})
	if fault.ClassOf(err) != fault.Usage {
		t.Errorf("got %v", err)
	}
}

// An interrupt reaches the child. A Ctrl-C of the terminal does not, because the child has its
// own process group.
func TestInterrupt_running_ends(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	child, err := Start(script(t, "touch "+started+"\nexec sleep 600\n"), nil, filepath.Join(t.TempDir(), "log"), &bytes.Buffer{}, nil, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { _, err := os.Stat(started); return err == nil })
	if !child.Running() || child.Err() != nil {
		t.Errorf("running %t, %v", child.Running(), child.Err())
	}
	child.Interrupt()
	<-child.Done()
	if f, ok := fault.As(child.Err()); !ok || !strings.Contains(f.Seen, "interrupt") {
		t.Errorf("got %v", child.Err())
	}
}

func eventually(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		if what() {
			return
		}
	}
	t.Fatal("did not happen")
}

// The child inherits the lock file, so that the lock lasts until its end.
func TestStart_lock_inherited(t *testing.T) {
	lock, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	child, err := Start(script(t, "echo mine >&3\n"), nil, filepath.Join(t.TempDir(), "log"), &bytes.Buffer{}, lock, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	<-child.Done()
	if text, err := os.ReadFile(lock.Name()); child.Err() != nil || err != nil || string(text) != "mine\n" {
		t.Errorf("%v; %q, %v", child.Err(), text, err)
	}
	if _, err := lock.WriteString("still open"); err != nil {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	good := script(t, `case "$*" in
--version) echo "rke version v1.5.10" ;;
"config --system-images --version v1.26.9-rancher1-1")
  echo 'time="2023-10-01T00:00:00Z" level=info msg="Generating images list for version [v1.26.9-rancher1-1]:"'
  echo "rancher/hyperkube:v1.26.9-rancher1"; echo "registry:5000/rancher/rke-tools:v0.1.96" ;;
*) echo "k8s version is not supported" >&2; exit 1 ;;
esac
`)
	b, err := Find(t.Context(), good, "v1.26.9-rancher1-1", "v1.99.0-rancher1-1", "")
	if err != nil {
		t.Fatal(err)
	}
	images := b.Images["v1.26.9-rancher1-1"]
	if b.Version != "v1.5.10" || len(images) != 2 || images["registry:5000/rancher/rke-tools"] != "registry:5000/rancher/rke-tools:v0.1.96" {
		t.Errorf("got %+v", b)
	}
	if b.Images["v1.99.0-rancher1-1"] != nil {
		t.Errorf("an unknown version has images: %v", b.Images)
	}
	for name, path := range map[string]string{
		"not rke": script(t, "echo hello\n"), "fails": script(t, "exit 1\n"), "missing": filepath.Join(t.TempDir(), "rke"),
	} {
		if _, err := Find(t.Context(), path); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Output of rke, or of others that rke quotes, never controls a terminal: neither live, nor in
// the error, nor in a log that is printed later.
func TestStart_outputWithControlCharacters_isMadeVisible(t *testing.T) {
	const body = "printf 'INFO[0001] \\033]52;c;ZXZpbA==\\007banner\\r\\033[2J \\302\\233 31m \\342\\200\\256 abc\\n'\n" +
		"printf '\\033[31mFATA\\033[0m[0009] no \\033[8mspace\\r\\n'\nexit 1\n"
	var live bytes.Buffer
	log := filepath.Join(t.TempDir(), "log")
	child, err := Start(script(t, body), nil, log, &live, nil, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	<-child.Done()
	kept, err := os.ReadFile(log)
	if err != nil || string(kept) != live.String() || !strings.Contains(live.String(), "INFO[0001] ·]52;c;ZXZpbA==·banner") {
		t.Errorf("%v, shown %q, kept %q", err, live.String(), kept)
	}
	last, _ := child.Seen()
	for where, text := range map[string]string{"shown": live.String(), "kept": string(kept), "error": child.Err().Error(), "last": last} {
		for _, r := range text {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s: %q holds %U", where, text, r)
			}
		}
	}
	if info, err := os.Stat(log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v, %v", info.Mode(), err)
	}
	if left, err := filepath.Glob(log + "?*"); err != nil || len(left) > 0 {
		t.Errorf("%v, next to the log: %q", err, left)
	}
}

func TestTail_lineWithoutEnd_isGivenInParts(t *testing.T) {
	var got []int
	lines := &tail{log: strings.NewReader(strings.Repeat("x", 3*maxLine) + "\nshort\n"), line: func(line string) { got = append(got, len(line)) }}
	lines.read(true)
	if want := []int{maxLine, maxLine, maxLine, 5}; !slices.Equal(got, want) {
		t.Errorf("parts of %v, want %v", got, want)
	}
}
