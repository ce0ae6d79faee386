package handoff

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Published returns the fragment for a place where others can read it. A fragment has each
// changed field as a whole. If a field contains other values that may be secret, the text names
// the change and the command that prints the fragment instead of the fragment: part of a field
// would delete the rest.
func (f Fragment) Published(form Form) (string, error) {
	fields := config.ChangedFields(f.Before, f.After)
	if notation.Equal(fields, config.ShownFields(fields)) && !f.carriesOver() {
		return f.Text(form)
	}
	lines := append(slices.Clone(f.Head),
		"This edit is not shown here: its fields may also hold secrets, and many users may read this object.",
		"Print it with your own credentials, and with the options of this migration as flags:",
		"  awsmigrate rke2 plan --namespace "+f.Namespace+" --cluster "+f.Name+" --edits handoff --handoff "+string(form),
		"It changes:")
	for _, change := range f.Edit.Shown() {
		lines = append(lines, change.Location)
		lines = append(lines, strings.Split(strings.TrimRight(change.Diff, "\n"), "\n")...)
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
	return text.String(), nil
}

// carriesOver reports whether the edit itself contains values that may be secret, such as the
// tests of a patch.
func (f Fragment) carriesOver() bool {
	return slices.ContainsFunc(f.Edit.Changes, func(c edits.Change) bool {
		_, hidden := c.Shown()
		return hidden
	})
}
