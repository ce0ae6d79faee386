package ccmchart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// check returns an error for contradictory inputs.
func (in Inputs) check() error {
	bad := func(seen, wanted string) error {
		return &fault.Error{Class: fault.Check, Reason: "BadInputs", Object: "chart values", Seen: seen, Wanted: wanted}
	}
	switch {
	case !in.Distribution.Known():
		return bad(fmt.Sprintf("distribution %q", in.Distribution), "rke2 or rke")
	case in.Routes && in.ClusterCIDR == "":
		return bad("cloud routes without a cluster CIDR: the controller manager would crash when it takes the lease", "the cluster's pod CIDR")
	}
	e := in.LeaderElection
	lease, renew, retry := orDefault(e.LeaseDuration, 15), orDefault(e.RenewDeadline, 10), orDefault(e.RetryPeriod, 2)
	if lease <= renew || renew <= retry*6/5 {
		return bad(fmt.Sprintf("leader election with lease %s, renew deadline %s, retry %s", lease, renew, retry),
			"lease > renew deadline > 1.2 × retry, else the process refuses to start")
	}
	return nil
}

// EffectiveImage returns the image that will run: the last one that is set of the matrix,
// --ccm-image and --values.
func EffectiveImage(in Inputs) (awsccm.Image, error) {
	ref := in.Image
	if ref == "" {
		tag, err := awsccm.ImageFor(in.KubernetesVersion)
		if err != nil && asMap(in.UserValues["image"])["tag"] == nil {
			return awsccm.Image{}, err
		}
		ref = tag
	}
	img := awsccm.Image{Repository: awsccm.DefaultRepository}
	if ref != "" {
		parsed, err := awsccm.ParseImage(ref)
		if err != nil {
			return awsccm.Image{}, err
		}
		img = parsed
	}
	user := asMap(in.UserValues["image"])
	for key, field := range map[string]*string{"repository": &img.Repository, "tag": &img.Tag, "digest": &img.Digest} {
		value, given := user[key]
		if !given || value == nil {
			continue
		}
		text, ok := value.(string)
		if !ok {
			return awsccm.Image{}, &fault.Error{
				Class: fault.Usage, Reason: "BadValues", Object: "values image." + key,
				Seen: fmt.Sprintf("%v (%T)", value, value), Wanted: "a string",
			}
		}
		*field = text
	}
	if tag, digest, found := strings.Cut(img.Tag, "@"); found {
		img.Tag, img.Digest = tag, digest
	}
	if _, err := awsccm.ParseImage(img.String()); err != nil {
		return awsccm.Image{}, err
	}
	return img, fromValues(awsccm.ImageAllowed(img, in.KubernetesVersion, cmp.Or(in.NewestVersion, in.KubernetesVersion)), user)
}

// NamedImage returns the image that --ccm-image or image.tag in --values names, or an empty
// string if neither does.
func NamedImage(flag string, userValues map[string]any) string {
	image := asMap(userValues["image"])
	tag, _ := image["tag"].(string)
	if tag == "" {
		return flag
	}
	repository, _ := image["repository"].(string)
	return cmp.Or(repository, awsccm.DefaultRepository) + ":" + tag
}

// fromValues replaces the fix of a refused image if the user's values set its version: removing
// the flag would change nothing.
func fromValues(err error, image map[string]any) error {
	f, refused := fault.As(err)
	if !refused || image["tag"] == nil {
		return err
	}
	named := *f
	named.Fix = "take image.tag out of --values"
	if named.Reason == awsccm.ReasonImageTooNew {
		named.Fix += ", or upgrade the cluster first"
	}
	return &named
}

// imageValues returns chart values for an image that both our chart and upstream's accept.
// Upstream's has no digest field and joins repository and tag with a colon.
func imageValues(img awsccm.Image, others any, foreign bool) map[string]any {
	values := merge(asMap(others), map[string]any{"repository": img.Repository, "tag": img.Tag})
	switch {
	case !foreign:
		values["digest"] = img.Digest
	case img.Digest != "" && img.Tag == "":
		delete(values, "digest")
		algorithm, sum, _ := strings.Cut(img.Digest, ":")
		values["repository"], values["tag"] = img.Repository+"@"+algorithm, sum
	case img.Digest != "":
		delete(values, "digest")
		values["tag"] = img.Tag + "@" + img.Digest
	}
	return values
}

// blocking returns one error that names all blocking concerns, or nil.
func blocking(concerns []Concern) error {
	var seen, keys, fixes []string
	for _, c := range concerns {
		if c.Blocking {
			switch {
			case c.Fix != "":
				fixes = append(fixes, c.Fix)
			case !slices.Contains(keys, c.Key):
				keys = append(keys, c.Key)
			}
			seen = append(seen, fmt.Sprintf("%s: %s (%s)", c.Key, c.Seen, c.Why))
		}
	}
	if len(seen) == 0 {
		return nil
	}
	if len(keys) > 0 {
		fixes = append([]string{"take out of --values: " + strings.Join(keys, ", ")}, fixes...)
	}
	return &fault.Error{
		Class: fault.Check, Reason: "UnsafeValues", Object: "chart values",
		Seen: strings.Join(seen, "; "), Wanted: "values that keep the migration safe",
		Fix: strings.Join(fixes, "; "),
	}
}
