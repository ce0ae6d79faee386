package controller

import (
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// handoffOf returns the edit that the last run handed off, or nil if none is awaited or its
// preconditions are missing.
func handoffOf(l *look) *v1alpha1.Handoff {
	last := lastRun(l.seen.Journal)
	if l.edit == nil || last == nil || last.Reason != migration.ReasonAwaitingOwner {
		return nil
	}
	return &v1alpha1.Handoff{Step: string(l.seen.Edit.Step), Owner: l.seen.Edit.Owner, Ref: l.edit, Since: timeOf(last.End)}
}

// awaitedText describes the edit to commit and its location.
func awaitedText(err error, l *look) string {
	if l.edit == nil {
		return fault.Headline(err) + ": commit what `awsmigrate rke2 plan --handoff` prints"
	}
	return fault.Headline(err) + ": commit key " + l.edit.Key + " of ConfigMap " + l.edit.Name
}

// handsOff reports whether an object hands off edits, and an edit may be due.
func handsOff(m *v1alpha1.ClusterMigration, seen session.Assessment) bool {
	return m.Spec.Edits == v1alpha1.EditsHandoff && seen.Unplaced == nil && seen.Unread == nil
}
