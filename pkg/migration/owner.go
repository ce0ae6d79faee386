package migration

import (
	"slices"
	"strings"
	"unicode"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Owner is a tool that keeps a cluster's configuration elsewhere, and puts what it
// has there back at its next run.
type Owner struct {
	Name string `json:"name"` // one of KnownOwners
	Mark string `json:"mark"` // what tells: "label objectset.rio.cattle.io/hash"
}

// String is the owner in messages.
func (o Owner) String() string { return o.Name + " (" + o.Mark + ")" }

// Word is the owner as --owner-informed names it: "argocd" for Argo CD.
func (o Owner) Word() string { return ownerWord(o.Name) }

// KnownOwners are the names that an Owner can have.
func KnownOwners() []string {
	return []string{"Terraform", "Fleet", "Argo CD", "Flux", "Helm", "Crossplane", "Pulumi", "RKE template"}
}

// OwnerWords are the known owners as --owner-informed names them.
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

// checkInformed refuses a word that is no owner's.
func (o Options) checkInformed() error {
	known := OwnerWords()
	for _, word := range o.OwnersInformed {
		if !slices.Contains(known, ownerWord(word)) {
			return UsageError("flag --owner-informed", word, "one of "+strings.Join(known, ", "))
		}
	}
	return nil
}

// Informed says whether the user says that an owner has, or will not undo, what a
// run writes.
func (o Options) Informed(owner Owner) bool {
	return slices.ContainsFunc(o.OwnersInformed, func(word string) bool { return ownerWord(word) == owner.Word() })
}

// RevertHarm is what a full revert of the configuration does to a cluster at a
// position; "": it takes nothing away that holds two managers apart.
func RevertHarm(at position.Position) string {
	switch {
	case at == position.Unknown:
		return "where a CCM is installed, a full revert puts kube-controller-manager back in-tree without the flag beside it: two managers"
	case at.AtLeast(position.P3):
		return "a full revert now puts kube-controller-manager back in-tree without the flag beside the CCM: two managers"
	}
	return ""
}

// InformFix says how to be allowed to write on a cluster that somebody keeps.
func InformFix(owners []Owner) string {
	words := make([]string, 0, len(owners))
	for _, o := range owners {
		words = append(words, o.Word())
	}
	return "commit each edit of `plan` there before the step that writes it, or keep it from syncing until all are there; then add --owner-informed=" + strings.Join(words, ",")
}
