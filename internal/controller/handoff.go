package controller

import (
	"context"
	"maps"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
)

// editKey begins the keys, beside those of plans, of the edit that somebody else is to
// commit: one for each form of it.
const editKey = "edit-"

// publish writes the next edit down in every form, in place of the one before, and gives
// where it is in the form of whoever keeps the Cluster; nil: none is due.
func (p plans) publish(ctx context.Context, edit procedure.NextEdit) (*v1alpha1.Reference, error) {
	stored, err := p.load(ctx)
	if err != nil {
		return nil, err
	}
	next := stored.DeepCopy()
	maps.DeleteFunc(next.Data, func(key, _ string) bool { return strings.HasPrefix(key, editKey) })
	for form, text := range edit.Texts {
		if next.Data == nil {
			next.Data = map[string]string{}
		}
		next.Data[editKey+form] = text
	}
	if !maps.Equal(next.Data, stored.Data) {
		if _, err := p.write(ctx, stored, next); err != nil {
			return nil, err
		}
	}
	var at *v1alpha1.Reference
	if edit.Step != "" {
		at = &v1alpha1.Reference{Name: p.name(), Key: editKey + edit.Form}
	}
	return at, nil
}

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
		return why(err) + ": commit what `awsmigrate rke2 plan --handoff` prints"
	}
	return why(err) + ": commit key " + l.edit.Key + " of ConfigMap " + l.edit.Name
}

// edits says whether an object leaves edits to somebody else, and one may be due.
func edits(m *v1alpha1.ClusterMigration, seen session.Assessment) bool {
	return m.Spec.Edits == v1alpha1.EditsHandoff && seen.Unplaced == nil && seen.Unread == nil
}
