package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// A file of any size is refused by its name and the bound before it is in memory.
func TestBundleIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	const most = 1 << 20
	for size, refused := range map[int]bool{most: false, most + 1: true, 3 * most: true} {
		if err := os.WriteFile(path, bytes.Repeat([]byte(" "), size), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := readBounded(path, most)
		if refused != (fault.ClassOf(err) == fault.Usage) || !refused && len(text) != size {
			t.Errorf("%d bytes: %d read, %v", size, len(text), err)
		}
		if refused && (!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "more than 1 MB")) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
