// Package published has the files of a release as a site gets them that has nothing else:
// made from the commit that is checked out, its charts, its list of images, its image.
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

// version is one that takes its notes from what is not released yet.
const version = "v0.1.0-rc.1"

// Release is a folder with the files of a release.
type Release struct{ dir string }

// Make makes a release of the commit that is checked out in a repository, for linux on
// this machine's architecture: what is not committed is not in it. It needs what
// `make release` needs.
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

// Chart is the file of a chart.
func (r Release) Chart(name string) string {
	return filepath.Join(r.dir, name+"-"+strings.TrimPrefix(version, "v")+".tgz")
}

// Images are the lines of the list that a mirror is filled by.
func (r Release) Images() ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(r.dir, "awsmigrate-images.txt"))
	if err != nil {
		return nil, fmt.Errorf("the list of images: %w", err)
	}
	return strings.Fields(string(raw)), nil
}

// InMirror is the name of a listed image in a mirror, as docs/air-gap.md puts it there.
func InMirror(mirror, image string) string {
	return mirror + "/" + strings.TrimPrefix(image, "registry.k8s.io/")
}
