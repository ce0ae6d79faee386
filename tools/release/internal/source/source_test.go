package source

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
)

// project returns a repository of a small program, with one commit.
func project(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a folder")
	for name, text := range map[string]string{
		"go.mod": "module example.org/tool\n\ngo 1.26.0\n", "cmd/tool/main.go": "package main\n\nfunc main() { println(\"tool\") }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "init", "--quiet")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "--quiet", "-m", "one")
	git(t, dir, "tag", "v0.0.7")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(dropVariables(os.Environ(), "GIT_*"), "GIT_COMMITTER_DATE=2026-11-24T07:00:00+02:00")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// A binary is built from the commit and names it, regardless of environment variables of Go and
// git, and of the repository's tags. A build in another folder gives the same bytes.
func TestBuildIsOfTheCommitAlone(t *testing.T) {
	repository := project(t)
	build := func(more ...string) ([]byte, string) {
		t.Helper()
		env := append(os.Environ(), more...)
		work := t.TempDir()
		commit, err := Checkout(t.Context(), repository, filepath.Join(work, "source"), "v0.1.0", env)
		if err != nil {
			t.Fatal(err)
		}
		if got := commit.Time.Format("2006-01-02T15:04:05Z"); got != "2026-11-24T05:00:00Z" {
			t.Errorf("the commit is of %s", got)
		}
		out := filepath.Join(work, "tool")
		p := Program{Dir: filepath.Join(work, "source"), Package: "./cmd/tool", Version: "v0.1.0", Env: env}
		info, err := p.Build(t.Context(), pack.Platform{OS: "linux", Arch: "amd64"}, out)
		if err != nil {
			t.Fatal(err)
		}
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if settings["vcs.revision"] != commit.Hash || settings["vcs.modified"] != "false" || settings["vcs.time"] != "2026-11-24T05:00:00Z" || settings["-trimpath"] != "true" {
			t.Errorf("%v", settings)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return data, out
	}
	first, path := build()
	info, err := buildinfo.ReadFile(path)
	if err != nil || info.Main.Version != "v0.1.0" {
		t.Errorf("%v, %v", info, err)
	}
	second, _ := build("GOFLAGS=-tags=other -buildvcs=false", "GOAMD64=v3", "CGO_ENABLED=1", "GIT_DIR=/nowhere", "TZ=Pacific/Kiritimati", "LANG=C")
	if string(first) != string(second) {
		t.Error("in other surroundings it is another binary")
	}
}

func TestCheckoutRefusesChanges(t *testing.T) {
	repository := project(t)
	if err := os.WriteFile(filepath.Join(repository, "cmd/tool/more.go"), []byte("package main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Checkout(t.Context(), repository, filepath.Join(t.TempDir(), "source"), "v0.1.0", os.Environ())
	if err == nil || !strings.Contains(err.Error(), "cmd/tool/more.go") {
		t.Errorf("a file that is in no commit: %v", err)
	}
}

// A program with an interpreter does not run on an empty image; the shell is such a program.
func TestCheckSelfContained(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSelfContained(shell, "linux"); err == nil {
		t.Errorf("%s is called static", shell)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSelfContained(self, "darwin"); err == nil {
		t.Error("a program of linux is one of darwin")
	}
}
