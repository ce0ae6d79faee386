package session

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Distribution returns the distribution of such clusters, or "" if only the API is known.
func (k Kind) Distribution() wellknown.Distribution {
	switch k {
	case RKE2:
		return wellknown.RKE2
	case RKE, ClusterFile:
		return wellknown.RKE
	case APIOnly:
	}
	return ""
}

// Side holds the checks of a distribution.
type Side struct {
	// All are all checks of a migration. For a cluster known by its API alone, they are the checks
	// of every cluster.
	All []verify.Meta
	// Own are those of the side that configures the cluster, which All includes.
	Own []verify.Meta
	// FromBundle binds Own to what a bundle holds of that side. It is nil if the side is not known.
	FromBundle func(side []byte, in evidence.Input) ([]verify.Bound, error)
}

// SideOf returns the checks of a distribution, or those of every cluster if it is empty.
func SideOf(d wellknown.Distribution) Side {
	switch d {
	case wellknown.RKE2:
		return Side{rke2checks.Metas(), verify.Metas(rke2checks.All()...), rke2checks.ChecksFromBundle}
	case wellknown.RKE:
		return Side{rkechecks.Metas(), verify.Metas(rkechecks.All()...), rke.ChecksFromBundle}
	}
	return Side{All: verify.Metas(slices.Concat(checks.Alone(), checks.For(""))...)}
}
