package host

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The image is in the form of `docker save`: the digest of its layer is that of the layer, parents
// come before what is in them, and links stay links.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte("content"), 0o755); err != nil {
		t.Fatal(err)
	}
	one := image{name: "rancher/x:v1", config: imageConfig{Cmd: []string{"/a/b/c"}}, files: []imageFile{
		{path: "/a/b/c", source: source, mode: 0o755}, {path: "/a/link", link: "b/c"}, {path: "/tmp", mode: 0o1777}, {path: "/a", mode: 0o755},
	}}
	file := filepath.Join(dir, "x.tar")
	if err := one.write(file); err != nil {
		t.Fatal(err)
	}
	outer := entries(t, open(t, file))
	var config struct {
		Config imageConfig
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(outer["config.json"].content, &config); err != nil {
		t.Fatal(err)
	}
	layer := outer["layer.tar"].content
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); len(config.RootFS.DiffIDs) != 1 || config.RootFS.DiffIDs[0] != want {
		t.Errorf("diff_ids %q, wanted %s", config.RootFS.DiffIDs, want)
	}
	if got := string(outer["manifest.json"].content); !strings.Contains(got, `"RepoTags":["rancher/x:v1"]`) {
		t.Errorf("manifest %s", got)
	}
	inner := entries(t, bytes.NewReader(layer))
	if len(inner) != 5 || string(inner["a/b/c"].content) != "content" || inner["a/link"].Linkname != "b/c" || inner["tmp/"].Mode != 0o1777 {
		t.Errorf("layer %v", inner)
	}
}

type packed struct {
	tar.Header
	content []byte
}

func open(t *testing.T, file string) io.Reader {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(raw)
}

func entries(t *testing.T, r io.Reader) map[string]packed {
	t.Helper()
	out := map[string]packed{}
	in := tar.NewReader(r)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if parent := filepath.Dir(strings.TrimSuffix(h.Name, "/")) + "/"; parent != "./" && out[parent].Name == "" {
			t.Errorf("%s comes before its folder", h.Name)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = packed{*h, content}
	}
}

func TestLogTexts(t *testing.T) {
	const klog = `I1127 18:21:56.883100       1 aws.go:4343] Started "x"`
	for _, test := range []struct {
		name, line, want string
		text             func(string) string
	}{
		{"docker", `{"log":"I1127 18:21:56.883100       1 aws.go:4343] Started \"x\"\n","stream":"stderr","time":"2026-11-27T18:21:56Z"}` + "\n", klog + "\n", dockerText},
		{"docker, broken", "{\n", "", dockerText},
		{"pod", "2026-11-27T18:21:56.883137201Z stderr F " + klog + "\n", klog + "\n", podText},
		{"pod, broken", "2026-11-27\n", "", podText},
	} {
		if got := test.text(test.line); got != test.want {
			t.Errorf("%s: %q, wanted %q", test.name, got, test.want)
		}
	}
}

// A line is copied once it is complete, however it was written.
func TestCopyLines(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	out, err := os.Create(from)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		logSource{path: from, text: podText}.copyTo(ctx, to, slog.New(slog.NewTextHandler(t.Output(), nil)))
	}()
	for _, part := range []string{"t stderr F one\nt std", "err F two", "\n"} {
		if _, err := io.WriteString(out, part); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if raw, err := os.ReadFile(to); err == nil && string(raw) == "one\ntwo\n" {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the lines were not copied within a minute")
		}
	}
	cancel()
	<-done
}

func TestKinds(t *testing.T) {
	got := kinds()
	for short, kind := range map[string]string{
		"kube-controller": "kube-controller-manager", "aws-cloud-contr": "aws-cloud-controller-manager", "kube-apiserver": "kube-apiserver", "kubelet": "kubelet",
	} {
		if got[short] != kind {
			t.Errorf("%s is %q, wanted %s", short, got[short], kind)
		}
	}
}

// A folder without hosts is left alone: its lab may share the machine with one that has hosts.
func TestClean_noHosts(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "nodes", "a", "disk", "file")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Clean(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// A second holder is refused until the first one ends.
func TestLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := lockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := lockFile(path); err == nil {
		second.Close()
		t.Error("two hold the lock")
	}
	first.Close()
	second, err := lockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
}

func TestMissing_programs(t *testing.T) {
	err := Missing(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "make real-machines") {
		t.Errorf("without programs: %v, wanted the make target", err)
	}
}
