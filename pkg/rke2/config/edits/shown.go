package edits

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Shown returns a change for publication: without texts that it only carries over and that may be
// secret. hidden reports whether there are any.
func (c Change) Shown() (shown Change, hidden bool) {
	shown = c
	switch o := c.op.(type) {
	case setKey:
		shown.Before, shown.After = config.Shown(o.at.Key, c.Before), config.Shown(o.at.Key, c.After)
	case addEntry, dropEntry:
		if before, is := c.Before.(map[string]any); is {
			shown.Before = config.ShownEntry(before)
		}
		if after, is := c.After.(map[string]any); is {
			shown.After = config.ShownEntry(after)
		}
	default:
		return c, false
	}
	if notation.Equal(shown.Before, c.Before) && notation.Equal(shown.After, c.After) {
		return c, false
	}
	shown.Diff, shown.Added, shown.Removed = diff(shown.Before, shown.After)
	return shown, true
}

// Shown returns the changes of an edit for publication.
func (e Edit) Shown() []Change {
	shown := make([]Change, 0, len(e.Changes))
	for _, c := range e.Changes {
		one, _ := c.Shown()
		shown = append(shown, one)
	}
	return shown
}
