package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/source"
)

// startedAs is the environment variable with the name by which a stand-in for the program was
// started.
const startedAs = "RELEASE_TEST_STARTED_AS"

// TestMain runs awsmigrate if a stand-in starts it. So an archive can hold the program without
// two minutes of building.
func TestMain(m *testing.M) {
	if name := os.Getenv(startedAs); name != "" {
		os.Exit(cli.MainAs(context.Background(), name, os.Args[1:], console.Streams{Out: os.Stdout, Err: os.Stderr, Env: os.Getenv}))
	}
	os.Exit(m.Run())
}

// archived returns a folder with the archives of a release for every platform.
func archived(t *testing.T) (out string) {
	t.Helper()
	version, err := pack.ParseVersion("v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, _ := debug.ReadBuildInfo()
	standIn := fmt.Sprintf("#!/bin/sh\n%s=\"$0\" exec '%s' \"$@\"\n", startedAs, self)
	r := release{
		options: options{out: t.TempDir(), version: version, platforms: pack.Platforms(), say: func(string) {}},
		copy:    "../..", commit: source.Commit{Time: time.Date(2026, 11, 24, 5, 0, 0, 0, time.UTC)}, binaries: map[pack.Platform]binary{},
	}
	for _, platform := range r.platforms {
		r.binaries[platform] = binary{data: []byte(standIn), info: info}
	}
	if err := r.archives(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.out
}

// unpacked returns a folder with an archive's files, unpacked as in docs/releases.md.
func unpacked(t *testing.T, archive string) string {
	t.Helper()
	into := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", archive, "-C", into).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return into
}

// ran returns the output of a program whose folder is the first in PATH.
func ran(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(folder, name), args...)
	cmd.Env = []string{"PATH=" + folder + ":/usr/bin:/bin", "HOME=" + t.TempDir()}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out)
}

// An archive that is unpacked into PATH has the program, the plugin, its completions and all
// their files.
func TestArchiveIsAPluginWithCompletions(t *testing.T) {
	out := archived(t)
	for _, platform := range pack.Platforms() {
		base := "awsmigrate_v0.1.0_" + platform.String()
		folder := filepath.Join(unpacked(t, filepath.Join(out, base+".tar.gz")), base)
		for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES", "completions/_awsmigrate", "completions/awsmigrate.bash", "completions/awsmigrate.fish",
			"man/man1/awsmigrate.1", "man/man1/awsmigrate-rke2-undo.1"} {
			if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || len(text) == 0 {
				t.Errorf("%s: %s: %d bytes, %v", base, name, len(text), err)
			}
		}
		if help := ran(t, folder, "kubectl-awsmigrate", "--help"); !strings.Contains(help, "kubectl awsmigrate") || strings.Contains(ran(t, folder, "awsmigrate", "--help"), "kubectl awsmigrate") {
			t.Errorf("%s: the plugin says:\n%s", base, help)
		}
		for typed, want := range map[string]string{"ver": "verify\t", "rke2 un": "undo\t", "verify --out": "--output\t", "verify -o ju": "junit"} {
			words := strings.Split(typed, " ")
			got := ran(t, folder, "kubectl_complete-awsmigrate", words...)
			if !strings.Contains(got, want) || got != ran(t, folder, "awsmigrate", append([]string{"__complete"}, words...)...) {
				t.Errorf("%s: %q is completed by %q", base, typed, got)
			}
		}
	}
}

// krew finds the archive at each address of the manifest, accepts it, and starts the program.
func TestKrewFindsWhatItsManifestNames(t *testing.T) {
	out := archived(t)
	text, err := os.ReadFile(filepath.Join(out, "awsmigrate.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Spec struct {
			Platforms []struct{ URI, SHA256, Bin string }
		}
	}
	if err := yaml.Unmarshal(text, &manifest); err != nil || len(manifest.Spec.Platforms) != len(pack.Platforms()) {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, platform := range manifest.Spec.Platforms {
		name, below := strings.CutPrefix(platform.URI, "https://github.com/awsmigrate/awsmigrate/releases/download/v0.1.0/")
		archive, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || !below || pack.Digest(archive) != platform.SHA256 {
			t.Fatalf("%s: SHA-256 %s, want %s (%v)", platform.URI, pack.Digest(archive), platform.SHA256, err)
		}
		folder := unpacked(t, filepath.Join(out, name))
		for _, licence := range []string{"LICENSE", "THIRD_PARTY_NOTICES"} {
			if _, err := os.Stat(filepath.Join(folder, licence)); err != nil {
				t.Error(err)
			}
		}
		if help := ran(t, folder, platform.Bin, "--help"); !strings.Contains(help, "kubectl awsmigrate") {
			t.Errorf("%s says:\n%s", name, help)
		}
	}
}
