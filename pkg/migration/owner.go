package migration

import (
	"slices"
	"strings"
	"unicode"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Owner is a tool that keeps a cluster's configuration elsewhere and restores that
// configuration at its next run.
type Owner struct {
	Name string `json:"name"` // one of KnownOwners
	Mark string `json:"mark"` // the evidence: "label objectset.rio.cattle.io/hash"
}

// String returns the owner's name and evidence, for messages.
func (o Owner) String() string { return o.Name + " (" + o.Mark + ")" }

// Word returns the owner's name for --owner-informed: "argocd" for Argo CD.
func (o Owner) Word() string { return ownerWord(o.Name) }

// KnownOwners returns the names that an Owner can have.
func KnownOwners() []string {
	return []string{"Terraform", "Fleet", "Argo CD", "Flux", "Helm", "Crossplane", "Pulumi", "RKE template"}
}

// OwnerWords returns the names of the known owners for --owner-informed.
func OwnerWords() []string {
	known := make([]string, 0, len(KnownOwners()))
	for _, name := range KnownOwners() {
		known = append(known, ownerWord(name))
	}
	return known
}

func ownerWord(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// checkInformed returns an error if a word names no known owner.
func (o Options) checkInformed() error {
	known := OwnerWords()
	for _, word := range o.OwnersInformed {
		if !slices.Contains(known, ownerWord(word)) {
			return UsageError("flag --owner-informed", word, "one of "+strings.Join(known, ", "))
		}
	}
	return nil
}

// Informed reports whether the user states that the owner has the edits of a run, or does
// not revert them.
func (o Options) Informed(owner Owner) bool {
	return slices.ContainsFunc(o.OwnersInformed, func(word string) bool { return ownerWord(word) == owner.Word() })
}

// RevertHarm describes how a full revert of the configuration would start a second manager
// at a position. It is empty if a revert is harmless there.
func RevertHarm(at position.Position) string {
	switch {
	case at == position.Unknown:
		return "once a CCM is installed, a full revert puts kube-controller-manager back in-tree without enable-leader-migration: two managers"
	case at.AtLeast(position.P3):
		return "a full revert now puts kube-controller-manager back in-tree, without enable-leader-migration and next to the CCM: two managers"
	}
	return ""
}

// InformFix returns the steps that allow a run to write to a cluster with these owners.
func InformFix(owners []Owner) string {
	words := make([]string, 0, len(owners))
	for _, o := range owners {
		words = append(words, o.Word())
	}
	return "commit each edit of `plan` there before the step that writes it, or keep it from syncing until all are there; then add --owner-informed=" + strings.Join(words, ",")
}
