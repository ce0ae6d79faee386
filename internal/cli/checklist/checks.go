// Package checklist lists the checks of all kinds of clusters, for commands that select or explain them.
package checklist

import (
	"cmp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// All returns the checks of every distribution, each once. A shared check is returned in
// its first variant: ID, title, category and whether it may be skipped are the same in all.
func All() []verify.Meta {
	var all []verify.Meta
	for _, d := range distributions() {
		for _, meta := range session.SideOf(d).All {
			if !slices.ContainsFunc(all, func(m verify.Meta) bool { return m.ID == meta.ID }) {
				all = append(all, meta)
			}
		}
	}
	return all
}

// Categories returns the categories of all checks, in the order of their IDs.
func Categories() []string {
	var names []string
	all := All()
	slices.SortFunc(all, func(a, b verify.Meta) int { return strings.Compare(a.ID, b.ID) })
	for _, meta := range all {
		if !slices.Contains(names, meta.Category) {
			names = append(names, meta.Category)
		}
	}
	return names
}

// CheckSelection returns an error for unknown checks and impossible skips, before anything is
// read. The run itself checks whether a check belongs to the cluster's distribution.
func CheckSelection(o migration.Options) error {
	var all []verify.Bound
	for _, meta := range All() {
		all = append(all, verify.Bound{Meta: meta})
	}
	refused := verify.Refusals(all, verify.Options{Skip: o.Skip, Only: o.OnlyChecks})
	err := verify.Report{Refused: refused}.Err()
	if f, is := fault.As(err); is {
		f.Fix = fixSelection(f.Object)
	}
	return err
}

// fixSelection returns the fix for a word that selects no check.
func fixSelection(word string) string {
	words := checkWords()
	if slices.Contains(words, word) { // known, but not skipped like this
		return "awsmigrate explain " + fault.Command(word)
	}
	return cmp.Or(fault.DidYouMean(word, words), "awsmigrate explain lists the steps, and docs/checks.md the checks; categories: "+strings.Join(Categories(), ", "))
}

// checkWords returns the words that select checks.
func checkWords() []string {
	words := Categories()
	for _, meta := range All() {
		words = append(words, meta.ID)
	}
	return words
}
