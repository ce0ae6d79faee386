package viarancher

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
)

// No kubeconfig from a cluster may cost much memory.
func TestParseKubeconfig_limits_boundedMemory(t *testing.T) {
	users := func(n int) string { return "users: [" + strings.Repeat("{name: a},", n) + "]\n" }
	at := limits().Values/3 - 2
	for name, tt := range map[string]struct {
		text    string
		refused bool
	}{
		"users at the limit": {users(at), false},
		"users beyond":       {users(10 * at), true},
		"bytes beyond":       {"current-context: " + strings.Repeat("a", 10*limits().Bytes), true},
		"aliases":            {"a: &a [" + strings.Repeat("x,", 500) + "x]\nb: &b [" + strings.Repeat("*a,", 500) + "*a]\nc: [" + strings.Repeat("*b,", 500) + "*b]\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			used := faulty.Allocated(func() { _, err = parseKubeconfig([]byte(tt.text), "Secret a/b") })
			t.Logf("%d MB: %.200v", used>>20, err)
			if used > 32<<20 || strings.Contains(err.Error(), "has more than") != tt.refused || !strings.Contains(err.Error(), "Secret a/b") {
				t.Errorf("%d MB, %v", used>>20, err)
			}
		})
	}
}

func FuzzParseKubeconfig(f *testing.F) {
	f.Add([]byte("users: [{name: a}]\n"))
	f.Add([]byte("a: &a [1]\nb: [*a, *a]\n"))
	f.Add([]byte(strings.Repeat("- ", 1<<12)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if used := faulty.Allocated(func() { _, _ = parseKubeconfig(text, "o") }); used > 32<<20 {
			t.Errorf("%d MB for %d bytes", used>>20, len(text))
		}
	})
}
