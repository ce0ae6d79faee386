package checks

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// resourceName is the prefix of instance names that are made of the instance id, in EC2 and in
// the CCM's images (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.14,
// rbnNamePrefix).
const resourceName = "i-"

// addressName matches EC2's private DNS names by address, in any domain.
var addressName = regexp.MustCompile(`^ip-\d+-\d+-\d+-\d+\.`)

// foundByName warns of names under which the CCM's image finds no instance: a node that joins
// under such a name after the switch keeps its taint. Existing Nodes have a ProviderID, and are
// found by it.
func foundByName(in evidence.Input) []verify.Finding {
	image, known := imageToCome(in)
	if !known {
		return []verify.Finding{verify.Undecided("image of the CCM", "neither the image nor the Kubernetes version could be read")}
	}
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		var resources, others []string
		for _, n := range nodes {
			kind, _ := downstream.KindOf(n.ProviderID)
			switch {
			case kind == downstream.FargateID:
			case strings.HasPrefix(n.Name, resourceName):
				if strings.Contains(n.Name, ".") && !image.cutsAtDot() {
					resources = append(resources, n.Name)
				}
			case !image.AtLeast(1, 26) && !addressName.MatchString(n.Name) && !in.Cloud.Instances.OK(): // else AWSM-404 compares it
				others = append(others, n.Name)
			}
		}
		return append(unfoundResources(resources, image), unfoundNames(others, image)...)
	})
}

// imageVersion is the version of a CCM image.
type imageVersion struct{ component.Version }

// cutsAtDot reports whether the image uses the part of a resource name before the dot as the
// instance id; older ones use the whole name (kubernetes/cloud-provider-aws:
// pkg/providers/v1/aws.go@v1.22.8, v1.25.15, v1.26.10, v1.26.11, nodeNameToInstanceID).
func (v imageVersion) cutsAtDot() bool {
	return v.AtLeast(1, 27) || v.AtLeast(1, 26) && v.Patch >= 11
}

// imageToCome returns the version of the planned or installed CCM image, or the newest of the
// cluster's minor version.
func imageToCome(in evidence.Input) (imageVersion, bool) {
	image := in.Facts.CCM().Image
	if in.Planned != nil && len(in.Planned.Containers) > 0 {
		image = in.Planned.Containers[0].Image
	}
	if v, err := component.ImageVersion(image); err == nil {
		return imageVersion{v}, true
	}
	versions, err := in.Versions()
	if err != nil {
		return imageVersion{}, false
	}
	v := versions[0]
	v.Patch = 99 // the patch releases of images differ from Kubernetes'
	return imageVersion{v}, true
}

func unfoundResources(names []string, image imageVersion) []verify.Finding {
	if len(names) == 0 {
		return nil
	}
	fix := "upgrade to Kubernetes 1.26 first, whose image v1.26.11 and later cut the name at the dot"
	if image.AtLeast(1, 26) {
		fix = "take an image of v1.26.11 or later"
	}
	return []verify.Finding{verify.Warning(nodesNamed(names), fmt.Sprintf("named by instance id and domain: an image of %d.%d treats the whole name as an instance id", image.Major, image.Minor),
		"names that the CCM's image maps to an instance", fix)}
}

func unfoundNames(names []string, image imageVersion) []verify.Finding {
	if len(names) == 0 {
		return nil
	}
	return []verify.Finding{verify.Warning(nodesNamed(names), fmt.Sprintf("no private DNS name of EC2 by its form: an image of %d.%d finds no new node's instance by it", image.Major, image.Minor),
		"EC2's private DNS name", "upgrade to Kubernetes 1.26 first and name new nodes by their instance id, or have them register under EC2's private DNS name")}
}

func nodesNamed(names []string) string {
	return fault.Count(len(names), "node") + ": " + evidence.Some(names)
}
