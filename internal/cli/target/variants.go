package target

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Variant holds a check as some kinds of clusters have it.
type Variant struct {
	Kinds []string
	Meta  verify.Meta
}

// Kinds of clusters that have checks.
const (
	kindRKE2    = "RKE2"
	kindRKE     = "RKE"
	kindAPIOnly = "API alone" // known by its API alone
)

// Kinds returns the kinds of clusters that have checks.
func Kinds() []string { return []string{kindRKE2, kindRKE, kindAPIOnly} }

// Variants returns a check as each kind of cluster has it. Kinds whose texts and positions agree
// share a variant.
func Variants(id string) []Variant {
	var variants []Variant
	byKind := checksByKind()
	for _, kind := range Kinds() {
		for _, meta := range byKind[kind] {
			if meta.ID != id {
				continue
			}
			same := slices.IndexFunc(variants, func(v Variant) bool { return readAlike(v.Meta, meta) })
			if same < 0 {
				same, variants = len(variants), append(variants, Variant{Meta: meta})
			}
			variants[same].Kinds = append(variants[same].Kinds, kind)
		}
	}
	return variants
}

func checksByKind() map[string][]verify.Meta {
	return map[string][]verify.Meta{
		kindRKE2:    rke2checks.Metas(),
		kindRKE:     rkechecks.Metas(),
		kindAPIOnly: verify.Metas(slices.Concat(checks.Alone(), checks.For(""))...),
	}
}

// readAlike reports whether two variants of a check read the same.
func readAlike(a, b verify.Meta) bool {
	return a.Why == b.Why && a.Source == b.Source && a.Fix == b.Fix && slices.Equal(a.Applies, b.Applies)
}

// checksOf returns the checks of a distribution, or all checks if it has none of its own.
func checksOf(d wellknown.Distribution) []verify.Meta {
	switch d {
	case wellknown.RKE2:
		return rke2checks.Metas()
	case wellknown.RKE:
		return rkechecks.Metas()
	}
	return AllChecks()
}
