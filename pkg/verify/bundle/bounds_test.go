package bundle

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// memoryLimit is the maximum memory for decoding one bundle, garbage included.
const memoryLimit = 1 << 30

func nodesOf(n int) []byte {
	return []byte(`{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","schema":1,"target":{"kind":"rke2","name":"demo"},"input":{"Nodes":{"value":[{}` + strings.Repeat(",{}", n-1) + `]}}}`)
}

func TestDecode_atAndBeyondTheLimits_boundedMemory(t *testing.T) {
	at := Limits().Values - 20
	for name, tt := range map[string]struct {
		text    []byte
		refused bool
	}{
		"nodes at the limit": {nodesOf(at), false},
		"nodes beyond":       {nodesOf(10 * at), true},
		"a text beyond":      {[]byte(`{"kind":"` + strings.Repeat("a", 10*Limits().Bytes) + `"}`), true},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			used := faulty.Allocated(func() { _, err = Decode("file b", tt.text) })
			t.Logf("%d MB: %.300v", used>>20, err)
			if used > memoryLimit {
				t.Errorf("%d MB were allocated", used>>20)
			}
			if tt.refused {
				faulty.WantClass(t, err, fault.Usage, "file b", "has more than", Limits().String())
			}
		})
	}
}

func TestEncode_moreThanReadable_isRefused(t *testing.T) {
	b := full()
	b.Side = []byte("[0" + strings.Repeat(",0", Limits().Values) + "]")
	if _, err := Encode(b, NewRedactor()); err == nil || !strings.Contains(err.Error(), "has more than") {
		t.Error(err)
	}
}
