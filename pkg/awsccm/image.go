package awsccm

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Image holds the parts of a container image reference.
type Image struct {
	Repository string // with registry and port
	Tag        string // empty if the reference has only a digest
	Digest     string // "sha256:…", or empty
}

// ParseImage splits a reference such as "registry.example:5000/a/b:v1.26.14@sha256:…". A bare tag
// such as "v1.26.14" means the published repository.
func ParseImage(ref string) (Image, error) {
	var img Image
	rest := strings.TrimSpace(ref)
	if rest == "" || strings.ContainsAny(rest, " \t\n\"'") {
		return Image{}, badImage(ref, "it is empty or has white space or quotes")
	}
	if at := strings.Index(rest, "@"); at >= 0 {
		rest, img.Digest = rest[:at], rest[at+1:]
		if !strings.Contains(img.Digest, ":") {
			return Image{}, badImage(ref, "the digest has no algorithm")
		}
	}
	if colon := strings.LastIndex(rest, ":"); colon > strings.LastIndex(rest, "/") {
		rest, img.Tag = rest[:colon], rest[colon+1:]
		if img.Tag == "" {
			return Image{}, badImage(ref, "the tag is empty")
		}
	}
	if _, err := semver.NewVersion(rest); err == nil && img.Tag == "" && strings.HasPrefix(rest, "v") {
		rest, img.Tag = DefaultRepository, rest
	}
	img.Repository = rest
	switch {
	case img.Repository == "":
		return Image{}, badImage(ref, "it has no repository")
	case img.Tag == "" && img.Digest == "":
		return Image{}, badImage(ref, "it has neither tag nor digest, so its version is unknown")
	}
	return img, nil
}

func badImage(ref, why string) error {
	return &fault.Error{
		Class: fault.Usage, Reason: "BadImage", Object: fmt.Sprintf("image %q", ref),
		Seen: why, Wanted: "REPOSITORY:TAG, REPOSITORY@DIGEST or a tag such as v1.26.14",
	}
}

// String returns the reference as a pod names it.
func (i Image) String() string {
	s := i.Repository
	if i.Tag != "" {
		s += ":" + i.Tag
	}
	if i.Digest != "" {
		s += "@" + i.Digest
	}
	return s
}

// Version returns the version in the tag. ok is false if the tag has none, as in "latest", a
// private name or a digest alone.
func (i Image) Version() (*semver.Version, bool) {
	if !strings.HasPrefix(i.Tag, "v") {
		return nil, false
	}
	v, err := semver.StrictNewVersion(strings.TrimPrefix(i.Tag, "v"))
	if err != nil {
		return nil, false
	}
	return v, true
}
