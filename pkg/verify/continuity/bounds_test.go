package continuity

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/bounded"
)

// memoryLimit is the maximum memory for decoding one fingerprint, garbage included.
const memoryLimit = 160 << 20

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func nodesOf(n int) string { return `{"schema":1,"nodes":[{}` + strings.Repeat(",{}", n-1) + `]}` }

func TestDecode_atAndBeyondTheLimits_boundedMemory(t *testing.T) {
	at := limits().Values - 3
	for name, tt := range map[string]struct {
		text    string
		refused bool
	}{
		"nodes at the limit": {nodesOf(at), false},
		"nodes beyond":       {nodesOf(10 * at), true},
		"a text beyond":      {`{"a":"` + strings.Repeat("a", 10*limits().Bytes) + `"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			raw := packed(t, tt.text)
			var err error
			used := faulty.Allocated(func() { _, err = Decode(raw) })
			t.Logf("%d MB: %v", used>>20, err)
			if used > memoryLimit || bounded.Exceeded(err) != tt.refused || err != nil && !tt.refused {
				t.Errorf("%d MB, %v", used>>20, err)
			}
		})
	}
}

func TestEncode_moreThanReadable_isRefused(t *testing.T) {
	if _, err := (Fingerprint{Schema: schema, Nodes: make([]NodePrint, limits().Values)}).Encode(); !bounded.Exceeded(err) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(nodesOf(3)))
	f.Add([]byte(nodesOf(10 * limits().Values)))
	f.Fuzz(func(t *testing.T, text []byte) {
		raw := packed(t, string(text))
		if used := faulty.Allocated(func() { _, _ = Decode(raw) }); used > memoryLimit {
			t.Errorf("%d MB for %d bytes", used>>20, len(text))
		}
	})
}
