package view

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// A recorded change is one whole line in a pipe, and wrapped on a terminal.
func TestRecording_longLine_whole(t *testing.T) {
	holder := "demo-cp-e782b882-l6l9v_5870acd2-f420-4b24-a813-7dd25b27dad9"
	e := record.Entry{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Lease: &record.Lease{Name: "cloud-provider-extraction-migration", Holder: holder, Manager: "kube-controller-manager"}}
	for name, terminal := range map[string]bool{"piped": false, "a terminal": true} {
		var out bytes.Buffer
		v := NewRecording(console.Streams{Out: &out, OutTerminal: terminal, Width: func() int { return 70 }})
		if err := v.Put(e); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if terminal == (len(lines) == 1) || strings.Contains(out.String(), "…") || !strings.Contains(out.String(), holder) || !strings.Contains(out.String(), "kube-controller-manager") {
			t.Errorf("%s: %q", name, lines)
		}
		for _, line := range lines {
			if terminal && utf8.RuneCountInString(line) > 70 && !strings.Contains(line, holder) {
				t.Errorf("%s: wider than the terminal: %q", name, line)
			}
		}
	}
}
