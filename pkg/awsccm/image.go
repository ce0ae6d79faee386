package awsccm

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Image is a container image reference in parts.
type Image struct {
	Repository string // with registry and port
	Tag        string // empty when the reference has only a digest
	Digest     string // "sha256:…", empty without one
}

// ParseImage splits a reference such as
// "registry.example:5000/a/b:v1.26.14@sha256:…". A bare tag such as "v1.26.14"
// is one too and stands for the published repository.
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
		return Image{}, badImage(ref, "it has neither tag nor digest, so nobody knows which version would run")
	}
	return img, nil
}

func badImage(ref, why string) error {
	return &fault.Error{
		Class: fault.Usage, Reason: "BadImage", Object: fmt.Sprintf("image %q", ref),
		Seen: why, Wanted: "REPOSITORY:TAG, REPOSITORY@DIGEST or a tag such as v1.26.14",
	}
}

// String is the reference as a pod names it.
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

// Version is the version the tag tells, and false for a tag that tells none,
// such as "latest", a private name or a digest alone.
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
