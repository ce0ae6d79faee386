package cli

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// A report of a small file costs memory in proportion to its limits, not to what it decodes into.
func TestReport_hostileJournal_boundedMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		list string
		n    int
		code int // a journal alone proves nothing about overlaps: 10
	}{
		"intents": {"intents", 60_000, 10}, "runs": {"runs", 60_000, 10}, "approvals": {"approvals", 60_000, 10},
		"intents beyond": {"intents", 600_000, 9}, "runs beyond": {"runs", 600_000, 9},
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"schema":"` + journal.Schema + `","commit":"c","target":{"name":"demo"},"` + tt.list + `":[{}` + strings.Repeat(",{}", tt.n-1) + `]}`
			file := journalFile(t, func(cm *corev1.ConfigMap) {
				var b bytes.Buffer
				w := gzip.NewWriter(&b)
				if _, err := w.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256([]byte(text))
				cm.Data, cm.BinaryData = map[string]string{"sha256": hex.EncodeToString(sum[:])}, map[string][]byte{"journal.json.gz": b.Bytes()}
			})
			used := faulty.Allocated(func() {
				if got := reported(t, file); got.code != tt.code {
					t.Errorf("exit %d: %.300s", got.code, got.err)
				}
			})
			t.Logf("%d MB", used>>20)
			if used > 512<<20 {
				t.Errorf("%d MB were allocated", used>>20)
			}
		})
	}
}
