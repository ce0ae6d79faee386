package realkubelet

import (
	"fmt"
	"strings"
)

// Row describes a measured scenario. Times are seconds from the true end of container A, unless
// What names another start.
type Row struct{ What, Shown, Ran string }

// Table returns the rows as Markdown.
func Table(rows []Row) string {
	var out strings.Builder
	fmt.Fprintln(&out, "| what was done | what the API showed | what ran |\n|---|---|---|")
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", r.What, r.Shown, r.Ran)
	}
	return out.String()
}
