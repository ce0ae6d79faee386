package handoff

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/edits"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Published returns the fragment as it may be kept where others read it. A fragment has each
// changed field whole. Where a field carries over what may be secret, the text names the
// change and the command that prints the fragment, and is no fragment itself: half of a
// field would take the other half away.
func (f Fragment) Published(form Form) (string, error) {
	fields := config.ChangedFields(f.Before, f.After)
	if notation.Equal(fields, config.ShownFields(fields)) && !f.carriesOver() {
		return f.Text(form)
	}
	lines := append(slices.Clone(f.Head),
		"This edit is not written down here: the fields that it changes also hold what may be secret, and many may read this object.",
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

// carriesOver reports whether the edit itself holds what may be secret, such as the tests of
// a patch.
func (f Fragment) carriesOver() bool {
	return slices.ContainsFunc(f.Edit.Changes, func(c edits.Change) bool {
		_, hidden := c.Shown()
		return hidden
	})
}
