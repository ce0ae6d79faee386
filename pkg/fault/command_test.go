package fault

import (
	"os/exec"
	"strings"
	"testing"
)

// What a shell makes of a command are the words that it was made of.
func TestCommandsAreTheirWords(t *testing.T) {
	words := []string{"plain", "", "a b", "$(touch X)", "`reboot`", "it's", `"`, "a;b", "~", "*", "--flag=x y", "é", "a\nb", "!x", "key-"}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s|' `+Command(words...)).Output()
	if err != nil || string(out) != strings.Join(words, "|")+"|" {
		t.Errorf("%q, %v", out, err)
	}
}
