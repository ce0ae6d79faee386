package node

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// program is the process that an image runs.
type program struct {
	kind   string // process kind
	path   string
	arg0   string
	prefix []string // arguments before the container's
	pause  bool
	// webhooks reports whether the program opens a second port, for webhooks, even without any
	// (kubernetes/cloud-provider@v0.28.0:app/controllermanager.go).
	webhooks bool
}

// imageProgram returns the program of an image by name and tag. An image outside this table
// cannot be pulled.
func imageProgram(image string, c Config) (program, error) {
	repository, tag := splitImage(image)
	name := repository[strings.LastIndex(repository, "/")+1:]
	switch {
	case repository == "lab/pause":
		return program{kind: "pause", pause: true}, nil
	case name == "klipper-helm":
		return program{kind: "klipper-helm", path: c.LabBinary, arg0: "lab", prefix: []string{"klipper-helm"}}, nil
	case repository == "lab/otherccm/cloud-controller-manager":
		return program{kind: awsCCM, path: filepath.Join(c.Binaries, "otherccm"), arg0: awsCCM}, nil
	case name == "cloud-controller-manager":
		if binary := awsCCMBinary(repository, tag); binary != "" {
			return program{kind: awsCCM, path: filepath.Join(c.Binaries, binary), arg0: awsCCM, webhooks: binary == ccmWithWebhooks}, nil
		}
	}
	return program{}, &startError{Reason: "ErrImagePull", Err: fmt.Errorf(
		"rpc error: code = NotFound desc = failed to pull and unpack image %q: failed to resolve reference: not found", image)}
}

const ccmWithWebhooks = "ccm-v1.28.1"

// awsCCMBinary returns the build for a tag: for 1.27 the one of 1.26, and for 1.29 the one of 1.28,
// whose controllers have the same names. registry.k8s.io holds only the patch releases that were promoted to it
// (kubernetes/k8s.io:registry.k8s.io/images/k8s-staging-provider-aws/images.yaml).
func awsCCMBinary(repository, tag string) string {
	for _, line := range []struct {
		prefix, binary string
		promoted       []string
	}{
		{"v1.26.", "ccm-v1.26.0", []string{"0", "1", "6", "8", "9", "10", "11", "12", "14"}},
		{"v1.27.", "ccm-v1.26.0", []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}},
		{"v1.28.", ccmWithWebhooks, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}},
		{"v1.29.", ccmWithWebhooks, []string{"10"}}, // the newest alone
	} {
		patch, ok := strings.CutPrefix(tag, line.prefix)
		if ok && (slices.Contains(line.promoted, patch) || !strings.HasPrefix(repository, "registry.k8s.io/provider-aws/")) {
			return line.binary
		}
	}
	return ""
}

func splitImage(image string) (repository, tag string) {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndex(image, ":"); i > strings.LastIndex(image, "/") {
		return image[:i], image[i+1:]
	}
	return image, "latest"
}
