package rke2

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/handoff"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
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
func (b *Backend) Fragment(seen migration.Snapshot, step journal.StepID, form string, head []string) (string, error) {
	return b.written(seen, step, form, head, handoff.Fragment.Text)
}

// Published implements migration.Handoff.
func (b *Backend) Published(seen migration.Snapshot, step journal.StepID, form string, head []string) (string, error) {
	return b.written(seen, step, form, head, handoff.Fragment.Published)
}

func (b *Backend) written(seen migration.Snapshot, step journal.StepID, form string, head []string, write func(handoff.Fragment, handoff.Form) (string, error)) (string, error) {
	if !handoff.Known(handoff.Form(form)) {
		return "", migration.UsageError("flag --handoff", form, strings.Join(b.Forms(), ", "))
	}
	before, err := b.specBefore(seen, step)
	if err != nil {
		return "", err
	}
	edit, err := b.computationOf(step)(seen, before)
	if err != nil || edit.Empty() {
		return "", err
	}
	after, err := edit.Apply(before)
	if err != nil {
		return "", err
	}
	return write(handoff.Fragment{Namespace: b.options.Namespace, Name: b.options.Name, Head: head, Before: before, After: after, Edit: edit}, handoff.Form(form))
}
