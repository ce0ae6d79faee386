package node

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// releaseFile holds the release of RKE2 that the installer put on this machine. Without the
// file the machine has the release that it was booted with.
const releaseFile = dataDir + "/release"

// versionVariable makes a program of the lab report another version.
const versionVariable = "LAB_KUBERNETES_VERSION"

// release returns the release that the plan installs, or empty if it installs none:
// v1.27.16+rke2r1 for the image rancher/system-agent-installer-rke2:v1.27.16-rke2r1.
func (p plan) release() string {
	for _, instruction := range p.Instructions {
		if instruction.Name == "install" {
			return imageVersion(instruction.Image)
		}
	}
	return ""
}

// imageVersion returns the version of the program in an image: v1.26.9 for
// rancher/hyperkube:v1.26.9-rancher1, v1.26.13+rke2r1 for
// rancher/hardened-kubernetes:v1.26.13-rke2r1-build20240117.
func imageVersion(image string) string {
	parts := strings.Split(image[strings.LastIndex(image, ":")+1:], "-")
	if len(parts) > 1 && strings.HasPrefix(parts[1], "rke2r") {
		return parts[0] + "+" + parts[1]
	}
	return parts[0]
}

func (a *Agent) release() (string, error) {
	raw, err := a.fs.read(releaseFile)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", releaseFile, err)
	}
	return orDefault(string(raw), rke2Version), nil
}

// fixesUID reports whether a release of RKE2 gives static pods the same UID regardless of their
// content: the releases whose pkg/staticpod/staticpod.go sets POD_HASH.
func fixesUID(version string) bool {
	v, err := semver.NewVersion(version)
	if err != nil || !strings.Contains(version, "+rke2r") {
		return false
	}
	switch v.Minor() {
	case 23:
		return v.Patch() >= 13
	case 24:
		return v.Patch() >= 7 && v.Patch() < 17
	case 25:
		return v.Patch() >= 3 && v.Patch() < 13
	case 26:
		return v.Patch() < 8
	case 27:
		return v.Patch() < 5
	}
	return false
}
