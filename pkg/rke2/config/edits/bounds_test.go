package edits

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
)

func TestReadHeader_atAndBeyondTheLimits_boundedMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		values  int
		refused bool
	}{"at the limit": {manifestLimits().Values/2 - 8, false}, "beyond": {5 * manifestLimits().Values, true}} {
		text := "kind: HelmChart\na: [" + strings.Repeat("{},", tt.values) + "]\n"
		var h header
		var err error
		used := faulty.Allocated(func() { h, err = document{end: len(text)}.readHeader(text) })
		t.Logf("%s: %d MB: %v", name, used>>20, err)
		if used > 128<<20 || (err != nil) != tt.refused || !tt.refused && h.Kind != "HelmChart" {
			t.Errorf("%s: %d MB, %v", name, used>>20, err)
		}
	}
}
