package rkecli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
)

// Binary describes the rke binary that `rke up` will run.
type Binary struct {
	Path    string
	Version string // "v1.5.10"; "dev" for a build without a version
	// Images holds the system images for each Kubernetes version, by their names in
	// system_images. It has no entry for a version that the binary does not know.
	Images map[string]map[string]string
}

// ReasonNotRKE marks a cluster, state file or binary that is not from RKE.
const ReasonNotRKE = "NotRKE"

// versionLine matches the output of `rke --version`
// (rancher/rke:main.go@v1.5.9, urfave/cli v1).
var versionLine = regexp.MustCompile(`(?m)^rke version (\S+)\s*$`)

// Find finds rke and reads its version and its images for each of the Kubernetes versions. It
// runs `rke --version`, which contacts nothing; `rke version` would contact the cluster.
func Find(ctx context.Context, name string, kubernetes ...string) (Binary, error) {
	if name == "" {
		name = "rke"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return Binary{}, &fault.Error{Class: fault.Usage, Reason: "NoRKEBinary", Object: "rke binary " + name,
			Seen: "cannot be run", Wanted: "rke v1.4.15 or a later 1.4, or v1.5.0 and later", Fix: "name it with --rke-binary, or use --no-rke-up", Err: err}
	}
	out, err := runBinary(ctx, path, "--version")
	if err != nil {
		return Binary{}, err
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return Binary{}, &fault.Error{Class: fault.Usage, Reason: ReasonNotRKE, Object: "rke binary " + path,
			Seen: fmt.Sprintf("--version prints %q", firstLine(out)), Wanted: "rke version vX.Y.Z", Fix: "name rke with --rke-binary"}
	}
	b := Binary{Path: path, Version: string(match[1]), Images: map[string]map[string]string{}}
	for _, version := range kubernetes {
		if version == "" || b.Images[version] != nil {
			continue
		}
		if out, err := runBinary(ctx, path, "config", "--system-images", "--version", version); err == nil {
			b.Images[version] = imagesOf(out)
		}
	}
	return b, ctx.Err()
}

func runBinary(ctx context.Context, path string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, &fault.Error{Class: fault.CouldNotLook, Reason: "RKEFailed", Object: path + " " + strings.Join(args, " "),
			Seen: firstLine(append(out, said.Bytes()...)), Err: err}
	}
	return out, nil
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return plaintext.Tidy(ansi.ReplaceAllString(line, ""))
}

// imagesOf parses a list of images, one per line, by repository. Log lines in it have blanks.
func imagesOf(out []byte) map[string]string {
	images := map[string]string{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		repository, tag, ok := cutTag(line)
		if !ok || tag == "" || slices.ContainsFunc([]byte(line), func(b byte) bool { return b == ' ' || b == '"' }) {
			continue
		}
		images[repository] = line
	}
	return images
}

// cutTag splits an image reference; a colon before the last slash belongs to a port.
func cutTag(image string) (repository, tag string, ok bool) {
	i := strings.LastIndexByte(image, ':')
	if i < 0 || strings.ContainsRune(image[i:], '/') {
		return image, "", false
	}
	return image[:i], image[i+1:], true
}
