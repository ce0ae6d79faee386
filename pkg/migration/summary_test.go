package migration_test

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// A long list shows its first entries and the number of the others.
func TestJoinSome_longList_cutOff(t *testing.T) {
	for _, tt := range []struct {
		names       []string
		names4, all string
	}{
		{nil, "", ""},
		{[]string{"c", "b", "a"}, "a, b, c", "c; b; a"},
		{[]string{"d", "c", "b", "a"}, "a, b, c, d", "d; c; b; and 1 more"},
		{[]string{"e", "d", "c", "b", "a"}, "a, b, c, d and 1 more", "e; d; c; and 2 more"},
	} {
		if got := migration.NameList(tt.names); got != tt.names4 {
			t.Errorf("names: %q, want %q", got, tt.names4)
		}
		if got := migration.JoinSome(tt.names); got != tt.all {
			t.Errorf("lines: %q, want %q", got, tt.all)
		}
	}
}
