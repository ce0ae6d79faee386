package wellknown

import (
	"regexp"
	"slices"
	"strings"
)

// Distribution names how a cluster runs its components, which decides where some evidence is
// read. It is empty for other distributions. It is also the name of the command that migrates
// such clusters.
type Distribution string

const (
	// RKE2 runs components as static pods. Rancher configures it by a Cluster of
	// provisioning.cattle.io.
	RKE2 Distribution = "rke2"
	// RKE runs components as containers outside the API. A cluster.yml configures it, or a
	// Cluster of management.cattle.io.
	RKE Distribution = "rke"
)

// Distributions returns the distributions that can be migrated, in the order of help.
func Distributions() []Distribution { return []Distribution{RKE2, RKE} }

// Known reports whether clusters of the distribution can be migrated.
func (d Distribution) Known() bool { return slices.Contains(Distributions(), d) }

// Title returns the name of the distribution in texts.
func (d Distribution) Title() string { return strings.ToUpper(string(d)) }

// NamedByID reports whether Rancher's Cluster object has no namespace and its ID as its name.
func (d Distribution) NamedByID() bool { return d == RKE }

// ControlPlaneLabel returns the label of control-plane Nodes, whose value is "true". RKE's has no
// hyphen (rancher/rke:cluster/hosts.go@v1.5.9).
func (d Distribution) ControlPlaneLabel() string {
	if d == RKE {
		return "node-role.kubernetes.io/controlplane"
	}
	return "node-role.kubernetes.io/control-plane"
}

// rkeID matches Rancher's IDs of RKE clusters: c- and five characters of GenerateName
// (kubernetes/apiserver:pkg/storage/names/generate.go@v0.26.13).
var rkeID = regexp.MustCompile(`^c-[a-z0-9]{5}$`)

// IsRKEID reports whether a name has the form of Rancher's IDs of RKE clusters.
func IsRKEID(name string) bool { return rkeID.MatchString(name) }
