package rke2

import (
	"context"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/handoff"
)

// Handoff implements migration.Backend.
func (b *Backend) Handoff() migration.Handoff { return b }

// Forms implements migration.Handoff.
func (b *Backend) Forms() []string {
	var forms []string
	for _, form := range handoff.Forms() {
		forms = append(forms, string(form))
	}
	return forms
}

// Marked implements migration.Handoff.
func (b *Backend) Marked(form string) bool { return handoff.Form(form) != handoff.Patch }

// Fragment implements migration.Handoff.
func (b *Backend) Fragment(_ context.Context, snap migration.Snapshot, form string, head []string, steps ...migration.Editing) (string, error) {
	return b.writeFragment(snap, steps, form, head, handoff.Fragment.Text)
}

// Published implements migration.Handoff.
func (b *Backend) Published(_ context.Context, snap migration.Snapshot, form string, head []string, steps ...migration.Editing) (string, error) {
	return b.writeFragment(snap, steps, form, head, handoff.Fragment.Published)
}

func (b *Backend) writeFragment(snap migration.Snapshot, steps []migration.Editing, form string, head []string, write func(handoff.Fragment, handoff.Form) (string, error)) (string, error) {
	if !handoff.Known(handoff.Form(form)) {
		return "", migration.UsageError("flag --handoff", form, strings.Join(b.Forms(), ", "))
	}
	edit, before, err := b.fold(snap, steps)
	if err != nil || edit.Empty() {
		return "", err
	}
	after, err := edit.Apply(before)
	if err != nil {
		return "", err
	}
	return write(handoff.Fragment{Namespace: b.options.Namespace, Name: b.options.Name, Head: head, Before: before, After: after, Edit: edit}, handoff.Form(form))
}
