package ccmchecks

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// registry lists the images that must exist in a cluster's own registry or mirrors. Nothing
// copies an image there automatically, and no API shows whether it exists.
func registry(in evidence.Input) []verify.Finding {
	none := func(r downstream.Registry) bool { return r.Default == "" && len(r.Mirrors) == 0 }
	switch {
	case len(in.Registries) > 0 && !slices.ContainsFunc(in.Registries, func(r downstream.Registry) bool { return !none(r) }):
		return nil // every image comes from its own registry, whichever it is
	case in.Planned == nil || len(in.Planned.Containers) == 0:
		return verify.Skipped("no pod was rendered to try")
	}
	image := in.Planned.Containers[0].Image
	var found []verify.Finding
	for _, r := range in.Registries {
		switch mirrored := r.Mirrored(image); {
		case r.Holds(image):
		case len(mirrored) > 0:
			found = append(found, verify.Warning(r.Object, image+" is pulled through a mirror", "the image at "+strings.Join(mirrored, ", or at "),
				"copy it there unless the mirror fetches it automatically; --ccm-image names another image"))
		case r.Default != "":
			found = append(found, verify.Warning(r.Object, image+" is pulled from its own registry, the cluster's images from "+r.Default,
				inRegistry(r.Default, image), "copy the image there and give --ccm-image "+inRegistry(r.Default, image)+", unless the control planes reach its own registry"))
		}
	}
	return found
}

// inRegistry returns the image's repository and version in another registry.
func inRegistry(registry, image string) string {
	_, repository, version := downstream.SplitImage(image)
	return strings.TrimSuffix(registry, "/") + "/" + repository + version
}
