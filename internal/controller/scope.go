package controller

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Scope are the clusters that an installation is for, as its rights are bound to them. It
// asks for no other, which would be refused. The zero value is all there are.
type Scope struct {
	// Clusters are names; empty: all.
	Clusters []string
	// RKE are the IDs (c-xxxxx) of the clusters that rke makes; nil: all.
	RKE []string
}

// covers says whether a cluster may be asked for by its name.
func (s Scope) covers(name string) bool {
	return len(s.Clusters) == 0 || slices.Contains(s.Clusters, name) || slices.Contains(s.RKE, name)
}

// refuses says why a cluster of that kind is not asked for; nil: it is.
func (s Scope) refuses(kind session.Kind, name string) error {
	if kind != session.RKE || s.RKE == nil || slices.Contains(s.RKE, name) {
		return nil
	}
	return &fault.Error{Class: fault.Usage, Reason: "NotCovered", Object: "Cluster " + name, Seen: "is an RKE cluster that this installation has no right to",
		Wanted: "its ID in access.rke1 of the chart, or in --rke", Fix: "upgrade the release with it"}
}
