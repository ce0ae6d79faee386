package controller

import (
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// handoffOf is the edit that the last run left to somebody else; nil: none is awaited, or
// its ground is not laid.
func handoffOf(l *look) *v1alpha1.Handoff {
	last := lastRun(l.seen.Journal)
	if l.edit == nil || last == nil || last.Reason != migration.ReasonAwaitingOwner {
		return nil
	}
	return &v1alpha1.Handoff{Step: string(l.seen.Edit.Step), Owner: l.seen.Edit.Owner, Ref: l.edit, Since: timeOf(last.End)}
}

// awaited says what has to be committed, and where it is written down.
func awaited(err error, l *look) string {
	if l.edit == nil {
		return fault.Headline(err) + ": commit what `awsmigrate rke2 plan --handoff` prints"
	}
	return fault.Headline(err) + ": commit key " + l.edit.Key + " of ConfigMap " + l.edit.Name
}

// edits says whether an object leaves edits to somebody else, and one may be due.
func edits(m *v1alpha1.ClusterMigration, seen session.Assessment) bool {
	return m.Spec.Edits == v1alpha1.EditsHandoff && seen.Unplaced == nil && seen.Unread == nil
}
