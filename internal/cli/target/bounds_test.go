package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestReadValues_atAndBeyondTheLimits_boundedMemory(t *testing.T) {
	list := func(n int) string { return "a: [" + strings.Repeat("{},", n) + "]\n" }
	at := fileLimits().Values/2 - 4
	for name, tt := range map[string]struct {
		text    string
		refused bool
	}{
		"at the limit":  {list(at), false},
		"values beyond": {list(10 * at), true},
		"bytes beyond":  {"a: " + strings.Repeat("b", 10*fileLimits().Bytes), true},
		"aliases":       {"a: &a [" + strings.Repeat("x,", 999) + "x]\nb: [" + strings.Repeat("*a,", 999) + "*a]\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "values.yaml")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var err error
			used := faulty.Allocated(func() { _, err = readValues([]string{path}) })
			t.Logf("%d MB: %v", used>>20, err)
			if used > 64<<20 || !tt.refused && err != nil {
				t.Errorf("%d MB, %v", used>>20, err)
			}
			if tt.refused {
				faulty.WantClass(t, err, fault.Usage, path, "has more than", "at most")
			}
		})
	}
}
