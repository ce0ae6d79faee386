package runview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// writeCompared prints the comparisons of the last run with the state before the migration, below what they
// show.
func writeCompared(s console.Screen, all []runner.Compared) {
	if len(all) > 1 && !slices.ContainsFunc(all, func(c runner.Compared) bool { return c.Unread == "" || c.Unread != all[0].Unread }) {
		s.Prose(comparedLabel(all[0]), "nodes and load balancers could not be compared: "+all[0].Unread)
		return
	}
	last := ""
	for _, one := range all {
		label := comparedLabel(one)
		if label == last {
			label = "       "
		} else {
			last = label
		}
		s.Prose(label, comparedText(one))
	}
}

// comparedLabel returns the label of a comparison's line.
func comparedLabel(c runner.Compared) string {
	switch {
	case c.Unread != "":
		return "unread "
	case c.Same == c.Of:
		return "same   "
	}
	return "diff   "
}

func comparedText(c runner.Compared) string {
	switch {
	case c.Unread != "":
		return c.Kind + " could not be compared: " + c.Unread
	case c.Same == c.Of:
		return fmt.Sprintf("%s unchanged: %d (%s)", c.Kind, c.Of, c.By)
	case c.Same == 0 && c.Of > 1:
		return fmt.Sprintf("%s unchanged: none of %d (%s); verify says what differs", c.Kind, c.Of, c.By)
	}
	return fmt.Sprintf("%s unchanged: %d of %d (%s); different or gone: %s", c.Kind, c.Same, c.Of, c.By, strings.Join(c.Others, ", "))
}
