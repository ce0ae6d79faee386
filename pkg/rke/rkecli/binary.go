package rkecli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Binary is the rke that `rke up` will run.
type Binary struct {
	Path    string
	Version string // "v1.5.10"; "dev" of a build without one
	// Images are the system images that it takes for a Kubernetes version, by
	// the name that system_images has for them; nil: it does not know the version.
	Images map[string]map[string]string
}

// ReasonNotRKE is of a cluster, a state or a program that is not rke's.
const ReasonNotRKE = "NotRKE"

// versionLine is what `rke --version` prints on standard output
// (rancher/rke:main.go@v1.5.9, urfave/cli v1).
var versionLine = regexp.MustCompile(`(?m)^rke version (\S+)\s*$`)

// Find finds rke and asks it for its version and for the images that it
// takes for each of the versions. `rke --version` contacts nothing; `rke version`
// would contact the cluster.
func Find(ctx context.Context, name string, kubernetes ...string) (Binary, error) {
	if name == "" {
		name = "rke"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return Binary{}, &fault.Error{Class: fault.Usage, Reason: "NoRKEBinary", Object: "rke binary " + name,
			Seen: "cannot be run", Wanted: "rke v1.4.15 or a later 1.4, or v1.5.0 and later", Fix: "name it with --rke-binary, or use --no-rke-up", Err: err}
	}
	out, err := ask(ctx, path, "--version")
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
		if out, err := ask(ctx, path, "config", "--system-images", "--version", version); err == nil {
			b.Images[version] = imagesOf(out)
		}
	}
	return b, ctx.Err()
}

func ask(ctx context.Context, path string, args ...string) ([]byte, error) {
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

// imagesOf reads the list of images, one a line, by repository. Log lines among
// them have blanks.
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

// cutTag divides an image reference; a colon before the last slash is a port's.
func cutTag(image string) (repository, tag string, ok bool) {
	i := strings.LastIndexByte(image, ':')
	if i < 0 || strings.ContainsRune(image[i:], '/') {
		return image, "", false
	}
	return image[:i], image[i+1:], true
}
