package cli

import (
	"slices"
	"testing"
)

// Files of the former run exist when it is resumed: the next command names others.
func TestAgainWithoutFiles(t *testing.T) {
	got := withoutFlags([]string{"rke2", "--record", "a.jsonl", "--cluster", "demo", "--report=a.html", "--yes", "--record"}, "--record", "--report")
	if want := []string{"rke2", "--cluster", "demo", "--yes"}; !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
}
