package naming

import (
	"regexp"
	"sort"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// With useInstanceMetadataHostname, rke omits the kubelet's --hostname-override and leaves it to
// the entrypoint of rke-tools. Up to v0.1.94 that sets only kube-proxy's; up to v0.1.101 it asks
// IMDSv1 (rancher/rke-tools:entrypoint.sh at v0.1.90 to v0.1.102).
var (
	toolsNameKubelet = semver.New(0, 1, 95, "", "")
	toolsAskIMDSv2   = semver.New(0, 1, 102, "", "")
)

// ToolsWithToken returns the first version of rke-tools that asks the metadata service with a
// token.
func ToolsWithToken() string { return "v" + toolsAskIMDSv2.String() }

// toolsSince is the rke-tools of a Kubernetes minor starting at a patch version.
type toolsSince struct {
	patch int
	tools uint64 // v0.1.N
}

// toolsByMinor is derived from
// rancher/kontainer-driver-metadata:pkg/rke/k8s_rke_system_images.go@7c2ba52, where all four
// images of rke-tools agree in every version.
var toolsByMinor = map[int][]toolsSince{ //nolint:gochecknoglobals // a constant table
	22: {{4, 78}, {7, 80}, {11, 87}, {16, 88}},
	23: {{4, 80}, {8, 87}, {14, 88}},
	24: {{2, 87}, {8, 88}, {17, 90}},
	25: {{6, 87}, {9, 88}, {13, 90}, {14, 96}},
	26: {{4, 89}, {8, 90}, {9, 96}},
	27: {{6, 96}, {15, 100}},
	28: {{7, 96}, {11, 100}, {13, 102}, {14, 103}},
	29: {{6, 100}, {8, 102}, {9, 103}},
	30: {{2, 100}, {4, 102}, {5, 103}},
}

// lastToolsMinor is the newest minor of the table; later ones have its last rke-tools or newer.
const lastToolsMinor = 30

// toolsFor returns the oldest rke-tools that rke uses for a Kubernetes version such as
// "v1.26.9-rancher1-1", or nil if the table has none.
func toolsFor(kubernetes string) *semver.Version {
	v, err := component.ParseVersion(kubernetes)
	if err != nil || v.Major != 1 {
		return nil
	}
	if v.Minor > lastToolsMinor {
		v.Minor, v.Patch = lastToolsMinor, 1<<20
	}
	var tools *semver.Version
	for _, since := range toolsByMinor[v.Minor] {
		if v.Patch >= since.patch {
			tools = semver.New(0, 1, since.tools, "", "")
		}
	}
	return tools
}

var toolsImage = regexp.MustCompile(`(?:^|/)rke-tools:(v[0-9][0-9A-Za-z.-]*)(?:@.*)?$`)

// toolsOf returns the version of an rke-tools image. It returns nil for a digest alone, and for
// an image with another name, whose content is unknown.
func toolsOf(image string) *semver.Version {
	match := toolsImage.FindStringSubmatch(image)
	if match == nil {
		return nil
	}
	v, _ := semver.NewVersion(match[1]) // nil if there is an error
	return v
}

// Tools describes the rke-tools of one source.
type Tools struct {
	From    string          // "in force", "cluster.yml", "rke v1.5.9 for v1.26.9-rancher1-1"
	Version *semver.Version // nil if not known
	Image   string          // empty if it comes from the table
}

// String formats the tools for messages.
func (t Tools) String() string {
	switch {
	case t.Version != nil:
		return "rke-tools v" + t.Version.String() + " (" + t.From + ")"
	case t.Image != "":
		return "image " + t.Image + " (" + t.From + "), which has no rke-tools version"
	}
	return "rke-tools not known (" + t.From + ")"
}

// toolsKeys returns the keys of images that contain rke-tools. The kubelet's entrypoint is the
// one of the sidekick container's volumes (rancher/rke:cluster/plan.go@v1.5.9,
// BuildSidecarProcess); the others only replace it if the state lacks it.
func toolsKeys() []string {
	return []string{"kubernetesServicesSidecar", "alpine", "nginxProxy", "certDownloader"}
}

// toolsInForce returns the versions that may start a kubelet from now on: those of the state, of
// cluster.yml and of the binary, and for each target that of the binary or of the table.
func toolsInForce(f rkestate.Facts, targets ...string) []Tools {
	now := f.State.Current.Config.KubernetesVersion
	tools := []Tools{{From: "in force", Version: toolsFor(now)}}
	for _, key := range toolsKeys() {
		if image := f.State.Current.Config.SystemImages[key]; image != "" {
			tools[0].Image, tools[0].Version = image, toolsOf(image)
			break
		}
	}
	if own := ownTools(f.Config); own != "" {
		// The image that the file sets applies to all versions.
		return append(tools, Tools{From: "cluster.yml", Image: own, Version: toolsOf(own)})
	}
	if image := toolsTaken(f.Binary, now); image != "" {
		tools = append(tools, Tools{From: "rke " + f.Binary.Value.Version, Image: image, Version: toolsOf(image)})
	}
	for _, target := range targets {
		if target == "" || target == now {
			continue
		}
		next := Tools{From: "target " + target, Version: toolsFor(target)}
		if image := toolsTaken(f.Binary, target); image != "" {
			next.Image, next.Version = image, toolsOf(image)
		}
		tools = append(tools, next)
	}
	return tools
}

func ownTools(c clusterfile.Config) string {
	return c.SystemImages["kubernetes_services_sidecar"]
}

// toolsTaken returns the rke-tools image that the binary uses, the oldest of several, or is
// empty.
func toolsTaken(binary verify.Read[rkecli.Binary], kubernetes string) string {
	if !binary.OK() {
		return ""
	}
	var found []string
	for _, image := range binary.Value.Images[kubernetes] {
		if toolsOf(image) != nil {
			found = append(found, image)
		}
	}
	sort.Slice(found, func(i, j int) bool { return toolsOf(found[i]).LessThan(toolsOf(found[j])) })
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// atLeast returns the first tools that are older than least, or not known.
func atLeast(tools []Tools, least *semver.Version) (Tools, bool) {
	for _, t := range tools {
		if t.Version == nil || t.Version.LessThan(least) {
			return t, false
		}
	}
	return Tools{}, true
}
