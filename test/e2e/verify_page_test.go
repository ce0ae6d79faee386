package e2e

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// onPage is the change that docs/verify.md shows.
const onPage = "a zone label that is wrong"

// onThePage compares the output of an audit of this lab with docs/verify.md, except for parts
// that differ from lab to lab.
func onThePage(t *testing.T, name, printed string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/verify.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- "+name+":begin -->\n```\n")
	shown, _, found := strings.Cut(rest, "```\n<!-- "+name+":end -->\n")
	if diff := cmp.Diff(alike(shown), alike(printed)); diff != "" || !found {
		t.Errorf("docs/verify.md, %s: on the page (-), printed (+):\n%s\nin full:\n%s", name, diff, printed)
	}
}

var (
	differs = regexp.MustCompile(`\d+\.\d+s|c-m-\w+|✓ \d+|\d+ ok|\d+ for other positions`)
	blanks  = regexp.MustCompile(` {2,}`)
)

// alike removes the duration, Rancher's random name of the cluster, the numbers of checks that
// pass or do not apply (each new check would change the page), and the padding that depends on
// their length.
func alike(text string) string {
	return blanks.ReplaceAllString(differs.ReplaceAllString(text, "…"), "  ")
}

func TestAlike(t *testing.T) {
	const screen = "nodes   ✓ 11   ✗ 1   – 2\n69 ok · 1 failed · 9 skipped · 12 for other positions · 1.6s   exit 3\n"
	for name, tt := range map[string]struct {
		from, to string
		want     bool
	}{
		"one_more_check_is_alike":   {"✓ 11   ✗ 1   – 2\n69 ok", "✓ 9     ✗ 1   – 2\n101 ok", true},
		"another_duration_is_alike": {"1.6s   exit", "10.1s  exit", true},
		"other_failure_differs":     {"1 failed", "2 failed", false},
		"other_exit_code_differs":   {"exit 3", "exit 0", false},
	} {
		if got := alike(strings.Replace(screen, tt.from, tt.to, 1)) == alike(screen); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// shown checks the screens of a cluster with a fault.
func shown(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	for name, format := range map[string]string{"failing": "text", "failing, short": "short"} {
		code, stdout, stderr, err := lab.Awsmigrate(ctx, silent{}, "verify", "--cluster", "demo", "-o", format)
		if err != nil || code != 3 {
			t.Errorf("-o %s: exit %d, %v\n%s", format, code, err, stderr)
		}
		onThePage(t, name, stdout)
	}
}
