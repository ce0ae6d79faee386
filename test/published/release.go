// Package published provides the files of a release as an isolated site gets them: charts, list of
// images and image, made from the current commit.
//
// It knows no cluster and runs nothing of the release.
package published

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// version is a pre-release, whose notes come from the unreleased changes.
const version = "v0.1.0-rc.1"

// Release is a folder with the files of a release.
type Release struct{ dir string }

// Make creates a release of a repository's current commit, for linux on this machine's
// architecture. Uncommitted changes are not part of it. It has the requirements of `make release`.
func Make(ctx context.Context, repository, dir string, out io.Writer) (Release, error) {
	source := filepath.Join(dir, "source")
	r := Release{dir: filepath.Join(dir, "release")}
	for _, words := range [][]string{
		{"git", "clone", "--quiet", "--no-hardlinks", repository, source},
		{"make", "-C", source, "release", "VERSION=" + version, "PLATFORMS=linux/" + runtime.GOARCH, "OUT=" + r.dir, "KEY="},
	} {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Run(); err != nil {
			return r, fmt.Errorf("make a release: %s: %w", strings.Join(words, " "), err)
		}
	}
	return r, nil
}

// Chart returns the path of a chart's file.
func (r Release) Chart(name string) string {
	return filepath.Join(r.dir, name+"-"+strings.TrimPrefix(version, "v")+".tgz")
}

// Images returns the lines of the list that fills a mirror.
func (r Release) Images() ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(r.dir, "awsmigrate-images.txt"))
	if err != nil {
		return nil, fmt.Errorf("the list of images: %w", err)
	}
	return strings.Fields(string(raw)), nil
}

// InMirror returns the name of a listed image in a mirror, as docs/air-gap.md copies it.
func InMirror(mirror, image string) string {
	return mirror + "/" + strings.TrimPrefix(image, "registry.k8s.io/")
}
