package naming

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

// Basis names the source of an assumption about names.
type Basis string

const (
	// OfFile marks an assumption from cluster.yml.
	OfFile Basis = "file"
	// OfTools marks an assumption from the rke-tools that belong to the versions.
	OfTools Basis = "rke-tools"
	// Unknown marks an assumption without a source.
	Unknown Basis = "unknown"
)

// NameAssumption describes how an offline plan expects nodes to keep their names. It is not
// verified, because the Nodes are in the cluster.
type NameAssumption struct {
	// UseInstanceMetadataHostname is the value that the plan writes, or nil.
	UseInstanceMetadataHostname *bool        `json:"useInstanceMetadataHostname,omitempty"`
	Basis                       Basis        `json:"basis"`
	RKETools                    []KnownTools `json:"rkeTools"`
}

// KnownTools describes the rke-tools of a Kubernetes version.
type KnownTools struct {
	Kubernetes string `json:"kubernetes"`
	Version    string `json:"version,omitempty"` // "v0.1.96", or empty if not known
	// NamesKubelet reports whether the entrypoint asks the metadata service for the kubelet's
	// name. It is nil if not known.
	NamesKubelet *bool `json:"namesKubelet,omitempty"`
}

// Assume returns the name rule from the file alone: the rke-tools of its version decide whether
// the metadata service can name the kubelet.
func Assume(config clusterfile.Config, target string) NameAssumption {
	provider := config.CloudProvider
	a := NameAssumption{RKETools: []KnownTools{}}
	if provider.Resolved() == rkestate.ProviderExternal {
		a.Basis, a.UseInstanceMetadataHostname = OfFile, provider.UseInstanceMetadataHostname
		return a
	}
	use, known := true, true
	for _, version := range []string{config.KubernetesVersion, target} {
		if version == "" {
			continue
		}
		one := knownTools(config, version)
		a.RKETools = append(a.RKETools, one)
		known = known && one.NamesKubelet != nil
		use = use && one.NamesKubelet != nil && *one.NamesKubelet
	}
	a.Basis = OfTools
	if !known || len(a.RKETools) == 0 {
		a.Basis, use = Unknown, false
	}
	a.UseInstanceMetadataHostname = &use
	return a
}

// knownTools returns the rke-tools from the image that the file sets for all versions, or else
// from the table.
func knownTools(config clusterfile.Config, kubernetes string) KnownTools {
	tools := toolsFor(kubernetes)
	if own := ownTools(config); own != "" {
		tools = toolsOf(own)
	}
	one := KnownTools{Kubernetes: kubernetes}
	if tools != nil {
		names := !tools.LessThan(toolsNameKubelet)
		one.Version, one.NamesKubelet = "v"+tools.String(), &names
	}
	return one
}

// Rule returns the rule that the plan writes. It is false if nothing is known: true would rename
// every node whose kubelet is not named by its rke-tools.
func (a NameAssumption) Rule() Rule {
	return Rule{UseMetadata: a.UseInstanceMetadataHostname != nil && *a.UseInstanceMetadataHostname}
}

// String formats the assumption and its conditions for people.
func (a NameAssumption) String() string {
	const unverified = " Not verified: no cluster was asked"
	switch {
	case a.Basis == OfFile:
		return "names as the file says." + unverified
	case a.Basis == Unknown:
		return "assumes useInstanceMetadataHostname: false, since it is not known whether the rke-tools of " + a.versions(false) +
			" name the kubelet; false needs hostname_override = Node name on every node." + unverified
	case a.Rule().UseMetadata:
		return "assumes useInstanceMetadataHostname: true; every node's internal_address must be its InternalIP." + unverified
	}
	return "assumes useInstanceMetadataHostname: false, since the rke-tools of " + a.versions(true) +
		" do not name the kubelet; this needs hostname_override = Node name on every node." + unverified
}

// versions lists the versions whose rke-tools do not name the kubelet, or are not known.
func (a NameAssumption) versions(known bool) string {
	var out []string
	for _, t := range a.RKETools {
		switch {
		case known && t.NamesKubelet != nil && !*t.NamesKubelet:
			out = append(out, fmt.Sprintf("%s (%s)", t.Kubernetes, t.Version))
		case !known && t.NamesKubelet == nil:
			out = append(out, t.Kubernetes)
		}
	}
	if len(out) == 0 {
		return "a version that the file does not name"
	}
	return strings.Join(out, ", ")
}
