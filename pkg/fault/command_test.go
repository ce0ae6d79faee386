package fault

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestCommand_anyWords_shellSplitsThem(t *testing.T) {
	words := []string{"plain", "", "a b", "$(touch X)", "`reboot`", "it's", `"`, "a;b", "~", "*", "--flag=x y", "é", "a\nb", "!x", "key-"}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s|' `+Command(words...)).Output()
	if err != nil || string(out) != strings.Join(words, "|")+"|" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestSplitCommand_lineOfCommand_returnsItsWords(t *testing.T) {
	for _, words := range [][]string{{"a"}, {"a", "--b=c"}, {"it's", "", "two words"}, {"'", "''", "a'b'c"}, {"$x", ";", "`y`"}} {
		if got, ok := SplitCommand(Command(words...)); !ok || !slices.Equal(got, words) {
			t.Errorf("%q: %q, %t", words, got, ok)
		}
	}
	for _, line := range []string{"a; b", "a  b", "a 'b", `a "b"`, "a\nb"} {
		if got, ok := SplitCommand(line); ok {
			t.Errorf("%q is no line of Command, got %q", line, got)
		}
	}
}
