package target

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
)

// AllChecks are the checks of every distribution; of those that both have, one.
func AllChecks() []verify.Meta {
	all := rke2checks.Metas()
	for _, meta := range append(rkechecks.Metas(), verify.Metas(checks.Alone()...)...) {
		if !slices.ContainsFunc(all, func(m verify.Meta) bool { return m.ID == meta.ID }) {
			all = append(all, meta)
		}
	}
	return all
}

// Categories are those of all checks, in the order of their IDs.
func Categories() []string {
	var names []string
	all := AllChecks()
	slices.SortFunc(all, func(a, b verify.Meta) int { return strings.Compare(a.ID, b.ID) })
	for _, meta := range all {
		if !slices.Contains(names, meta.Category) {
			names = append(names, meta.Category)
		}
	}
	return names
}
