package checklist

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Variant holds a check as some kinds of clusters have it.
type Variant struct {
	Kinds []string
	Meta  verify.Meta
}

// distributions returns every distribution that has checks. The last one is that of clusters known
// by their API alone.
func distributions() []wellknown.Distribution { return append(wellknown.Distributions(), "") }

// Kinds returns the kinds of clusters that have checks.
func Kinds() []string {
	var kinds []string
	for _, d := range distributions() {
		kinds = append(kinds, kindOf(d))
	}
	return kinds
}

func kindOf(d wellknown.Distribution) string {
	if d == "" {
		return "API alone"
	}
	return d.Title()
}

// Variants returns a check as each kind of cluster has it. Kinds whose texts and positions agree
// share a variant.
func Variants(id string) []Variant {
	var variants []Variant
	for _, d := range distributions() {
		for _, meta := range session.SideOf(d).All {
			if meta.ID != id {
				continue
			}
			same := slices.IndexFunc(variants, func(v Variant) bool { return readAlike(v.Meta, meta) })
			if same < 0 {
				same, variants = len(variants), append(variants, Variant{Meta: meta})
			}
			variants[same].Kinds = append(variants[same].Kinds, kindOf(d))
		}
	}
	return variants
}

// readAlike reports whether two variants of a check read the same.
func readAlike(a, b verify.Meta) bool {
	return a.Why == b.Why && a.Source == b.Source && a.Fix == b.Fix && slices.Equal(a.Applies, b.Applies)
}
