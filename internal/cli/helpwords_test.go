package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// Words that help, completion and explain do not know end with exit 2 and suggestions.
func TestHelpAndExplain_unknownWord_exit2(t *testing.T) {
	for args, says := range map[string]string{
		"explain":          "no ID is given",
		"explain P1 P2":    "several IDs are given: P1 P2",
		"explain AWSM-999": "see the list in docs/checks.md",
		"explain 999":      `"999": unknown check`,
		"help foo":         `"foo": there is no such command of awsmigrate`,
		"help rke2 paln":   "did you mean plan?",
		"completion foo":   "one of bash, fish, powershell, zsh",
	} {
		var out, errs bytes.Buffer
		code := Main(t.Context(), strings.Fields(args), console.Streams{Out: &out, Err: &errs, Env: func(string) string { return "" }})
		if code != 2 || out.Len() > 0 || !strings.Contains(errs.String(), says) {
			t.Errorf("%s: exit %d, stdout %q\n%s", args, code, out.String(), errs.String())
		}
	}
}

// The words of cobra's own commands keep their help.
func TestHelp_knownWords_printed(t *testing.T) {
	for args, says := range map[string]string{"help": "awsmigrate [command]", "help rke2 plan": "awsmigrate rke2 plan", "completion": "completion [command]", "help completion bash": "completion bash"} {
		var out, errs bytes.Buffer
		if code := Main(t.Context(), strings.Fields(args), console.Streams{Out: &out, Err: &errs, Env: func(string) string { return "" }}); code != 0 || !strings.Contains(out.String(), says) {
			t.Errorf("%s: exit %d\n%s%s", args, code, out.String(), errs.String())
		}
	}
}
