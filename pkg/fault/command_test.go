package fault

import (
	"os/exec"
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
