package controller

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Scope selects the clusters that an installation has rights for. It requests no others, because
// those requests would be refused. The zero value selects all.
type Scope struct {
	// Clusters are names of clusters; empty selects all.
	Clusters []string
	// RKE are the IDs (c-xxxxx) of RKE clusters; nil selects all.
	RKE []string
}

// covers reports whether the scope includes a cluster with this name.
func (s Scope) covers(name string) bool {
	return len(s.Clusters) == 0 || slices.Contains(s.Clusters, name) || slices.Contains(s.RKE, name)
}

// refuses returns an error if the scope excludes a cluster of this kind.
func (s Scope) refuses(kind session.Kind, name string) error {
	if kind != session.RKE || s.RKE == nil || slices.Contains(s.RKE, name) {
		return nil
	}
	return &fault.Error{Class: fault.Usage, Reason: "NotCovered", Object: "Cluster " + name, Seen: "is an RKE cluster that this installation has no right to",
		Wanted: "its ID in access.rke1 of the chart, or in --rke", Fix: "upgrade the release with it"}
}
