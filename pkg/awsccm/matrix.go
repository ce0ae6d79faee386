package awsccm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// images holds the last promoted image of each minor release that neither panics on a foreign
// ProviderID nor needlessly refuses unknown cloud config keys
// (kubernetes/k8s.io:registry.k8s.io/images/k8s-staging-provider-aws/images.yaml;
// kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go at each tag). 1.28 and later are omitted:
// there is nothing to migrate, and their controllers have other names.
var images = map[uint64]string{ //nolint:gochecknoglobals // a constant table
	22: "v1.22.8",
	23: "v1.23.20",
	24: "v1.24.19",
	25: "v1.25.15",
	26: "v1.26.14",
	27: "v1.27.10",
}

// ImageFor returns the image tag for a cluster of that Kubernetes version, e.g.
// "v1.26.15+rke2r1". It returns an error with a fix for versions without an image.
func ImageFor(kubernetesVersion string) (string, error) {
	v, err := parseKubernetes(kubernetesVersion)
	if err != nil {
		return "", err
	}
	if tag, ok := images[v.Minor()]; ok && v.Major() == 1 {
		return tag, nil
	}
	fix := "upgrade to 1.22 or later first"
	if v.Major() > 1 || v.Minor() > 27 {
		fix = "name an image with --ccm-image; from 1.27 on there is no in-tree AWS provider to migrate from"
	}
	return "", &fault.Error{
		Class: fault.Check, Reason: "NoImage", Object: "Kubernetes " + kubernetesVersion,
		Seen: "no cloud controller manager image is known for it", Wanted: "1.22 to 1.27", Fix: fix,
	}
}

// ReasonImageTooNew marks an image that is newer than the oldest API server.
const ReasonImageTooNew = "ImageTooNew"

// ImageAllowed returns an error for an image that is newer than the oldest API server, which
// Kubernetes' version skew policy forbids. It accepts an image without a version in its tag,
// which cannot be checked and runs with the migration file.
func ImageAllowed(img Image, oldestAPIServer string) error {
	api, err := parseKubernetes(oldestAPIServer)
	if err != nil {
		return err
	}
	v, ok := img.Version()
	if !ok {
		return nil
	}
	object := "image " + img.String()
	if v.Major() == 1 && v.Minor() < 22 {
		return &fault.Error{
			Class: fault.Check, Reason: "ImageTooOld", Object: object,
			Seen: "leader migration is not usable before v1.22", Wanted: "v1.22 or later",
			Fix: "leave --ccm-image out",
		}
	}
	if v.Major() > api.Major() || v.Minor() > api.Minor() {
		return &fault.Error{
			Class: fault.Check, Reason: ReasonImageTooNew, Object: object,
			Seen:   fmt.Sprintf("newer than the API servers, which run %s", oldestAPIServer),
			Wanted: fmt.Sprintf("v%d.%d or older", api.Major(), api.Minor()),
			Fix:    "leave --ccm-image out, or upgrade the cluster first",
		}
	}
	return nil
}

// NeedsMigrationFile reports whether the image needs MigrationFile. The default configuration
// of images from v1.28 on keeps services and routes outside the migration lease, so that two
// managers would run them. The file's group version exists from v1.24 on; mounting the file for
// all versions from there avoids trust in a tag. Images without a version in their tag need it
// too.
func NeedsMigrationFile(img Image) bool {
	v, ok := img.Version()
	return !ok || v.Major() > 1 || v.Minor() >= 24
}

// parseKubernetes parses a version such as "v1.26.15+rke2r1" or "v1.26.8-rancher1-1".
func parseKubernetes(version string) (*semver.Version, error) {
	v, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v"))
	if err != nil {
		return nil, &fault.Error{
			Class: fault.Check, Reason: "BadVersion", Object: fmt.Sprintf("Kubernetes version %q", version),
			Seen: "not a version", Wanted: "for example v1.26.15+rke2r1", Err: err,
		}
	}
	return v, nil
}

// ImageTags returns the tags of all images that a migration may install without a flag, oldest
// first, for filling a mirror.
func ImageTags() []string {
	tags := make([]string, 0, len(images))
	for _, minor := range slices.Sorted(maps.Keys(images)) {
		tags = append(tags, images[minor])
	}
	return tags
}
