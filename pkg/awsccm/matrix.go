package awsccm

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// minorImage is the image for the clusters of one minor version of Kubernetes.
type minorImage struct {
	minor  uint64
	tag    string
	source string // list or pull request of kubernetes/k8s.io that promotes the tag
	note   string // a property of the image that its tag does not show, or empty
}

// promoted is the list of images that registry.k8s.io serves.
const promoted = "kubernetes/k8s.io:registry.k8s.io/images/k8s-staging-provider-aws/images.yaml@0137eda2"

// images holds the last promoted image of each minor version, oldest first. A tag of the
// repository has an image only if it was promoted: v1.24.20, v1.25.16, v1.33.3, v1.34.1, v1.35.1
// and v1.36.0 were not. Up to 1.27 an image neither panics on a foreign ProviderID nor
// needlessly refuses unknown cloud config keys
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go at each tag). From 1.28 on its
// controllers have other names, which MigrationFile has, too.
var images = []minorImage{ //nolint:gochecknoglobals // a constant table
	{22, "v1.22.8", promoted, ""},
	{23, "v1.23.20", promoted, ""},
	{24, "v1.24.19", promoted, ""},
	{25, "v1.25.15", promoted, ""},
	{26, "v1.26.14", promoted, ""},
	{27, "v1.27.10", promoted, ""},
	{28, "v1.28.11", promoted, ""},
	{29, "v1.29.10", promoted, ""},
	{30, "v1.30.10", promoted, ""},
	{31, "v1.31.9", promoted, ""},
	{32, "v1.32.8", promoted, "it is built on k8s.io/cloud-provider v0.33.0-rc.0, one minor version ahead of its tag"}, // kubernetes/cloud-provider-aws:go.mod@v1.32.8
	{33, "v1.33.4", promoted, ""},
	{34, "v1.34.3", promoted, ""},
	{35, "v1.35.2", promoted, ""},
	{36, "v1.36.1", "kubernetes/k8s.io#9796", ""},
}

// ReasonNoImage marks a Kubernetes version outside of the table of images.
const ReasonNoImage = "NoImage"

// ImageFor returns the image tag for a cluster of that Kubernetes version, e.g.
// "v1.26.15+rke2r1". It returns an error with ReasonNoImage for versions without an image.
func ImageFor(kubernetesVersion string) (string, error) {
	v, err := parseKubernetes(kubernetesVersion)
	if err != nil {
		return "", err
	}
	for _, row := range images {
		if v.Major() == 1 && row.minor == v.Minor() {
			return row.tag, nil
		}
	}
	first, last := images[0].minor, images[len(images)-1].minor
	fix := "name an image of this minor version with --ccm-image"
	if v.Major() == 1 && v.Minor() < first {
		fix = "upgrade to 1.22 or later first"
	}
	return "", &fault.Error{
		Class: fault.Check, Reason: ReasonNoImage, Object: "Kubernetes " + kubernetesVersion,
		Seen: "no cloud controller manager image is known for it", Wanted: fmt.Sprintf("1.%d to 1.%d", first, last), Fix: fix,
	}
}

// NoteOn returns a property of an image that its tag does not show, or an empty string.
func NoteOn(img Image) string {
	for _, row := range images {
		if row.tag == img.Tag {
			return row.note
		}
	}
	return ""
}

// Reasons of images outside of Kubernetes' version skew policy.
const (
	ReasonImageTooNew = "ImageTooNew"
	ReasonImageTooOld = "ImageTooOld"
)

// ImageAllowed returns an error for an image that Kubernetes' version skew policy forbids: a
// cloud controller manager must not be newer than the oldest kube-apiserver, and at most one
// minor version older than the newest, since it may talk to any of them
// (kubernetes/website:content/en/releases/version-skew-policy.md). It accepts an image without
// a version in its tag, which cannot be checked and runs with the migration file.
func ImageAllowed(img Image, oldestAPIServer, newestAPIServer string) error {
	oldest, err := parseKubernetes(oldestAPIServer)
	if err != nil {
		return err
	}
	newest, err := parseKubernetes(newestAPIServer)
	if err != nil {
		return err
	}
	v, ok := img.Version()
	if !ok {
		return nil
	}
	object := "image " + img.String()
	switch {
	case v.Major() == 1 && v.Minor() < images[0].minor:
		return &fault.Error{
			Class: fault.Check, Reason: ReasonImageTooOld, Object: object,
			Seen: "leader migration is not usable before v1.22", Wanted: "v1.22 or later", Fix: "leave --ccm-image out",
		}
	case minorOf(v) > minorOf(oldest):
		return &fault.Error{
			Class: fault.Check, Reason: ReasonImageTooNew, Object: object,
			Seen:   "newer than the API servers, the oldest of which runs " + oldestAPIServer,
			Wanted: fmt.Sprintf("v%d.%d or older", oldest.Major(), oldest.Minor()),
			Fix:    "leave --ccm-image out, or upgrade the cluster first",
		}
	case minorOf(v)+1 < minorOf(newest):
		return &fault.Error{
			Class: fault.Check, Reason: ReasonImageTooOld, Object: object,
			Seen:   "more than one minor version older than the API servers, the newest of which runs " + newestAPIServer,
			Wanted: fmt.Sprintf("v%d.%d or later", newest.Major(), newest.Minor()-1),
			Fix:    "leave --ccm-image out",
		}
	}
	return nil
}

// minorOf returns major and minor version as one number.
func minorOf(v *semver.Version) uint64 { return v.Major()*1000 + v.Minor() }

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

// ImageTags returns the tags of all images that a run may install without a flag, oldest first,
// for filling a mirror.
func ImageTags() []string {
	tags := make([]string, 0, len(images))
	for _, row := range images {
		tags = append(tags, row.tag)
	}
	return tags
}
