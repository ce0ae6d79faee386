package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Some joins names, and cuts a long list.
func Some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// OrElse returns s, or fallback if s is empty.
func OrElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// Spread formats counts as "3 in a, 1 in b".
func Spread(count map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", OrElse(name, "none"), count[name]))
	}
	return strings.Join(parts, ", ")
}
