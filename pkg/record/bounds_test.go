package record

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// endless repeats a text after a beginning.
type endless struct {
	begin string
	rest  []byte
}

func (e *endless) Read(into []byte) (int, error) {
	if e.begin != "" {
		n := copy(into, e.begin)
		e.begin = e.begin[n:]
		return n, nil
	}
	n := 0
	for n < len(into) {
		n += copy(into[n:], e.rest)
	}
	return n, nil
}

const header = `{"at":"2026-11-25T09:00:00Z","header":{"form":"` + Form + `","name":"demo"}}` + "\n"

// A record without an end is refused in constant memory.
func TestRead_endlessRecord_isRefused(t *testing.T) {
	for name, rest := range map[string]string{
		"empty lines": "\n", "one line": "a", "no entries": "{}\n",
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			used := faulty.Allocated(func() {
				_, err = Read(&endless{header, bytes.Repeat([]byte(rest), 1<<12)}, func(Entry) error { return nil })
			})
			t.Logf("%d MB: %v", used>>20, err)
			faulty.WantClass(t, err, fault.Usage, "record", "larger than")
			if used > 16<<20 {
				t.Errorf("%d MB were allocated", used>>20)
			}
		})
	}
}

// One entry that decodes into much is torn, and the next one is read.
func TestRead_entryOfManyValues_isTorn(t *testing.T) {
	audit := func(findings int) string {
		return `{"at":"2026-11-25T09:00:01Z","audit":{"run":"r","step":"s","findings":[{}` + strings.Repeat(",{}", findings-1) + "]}}\n"
	}
	for findings, torn := range map[int]int{maxValues - 6: 0, 10 * maxValues: 1} {
		entries := 0
		used := faulty.Allocated(func() {
			all, err := Read(strings.NewReader(header+audit(findings)), func(Entry) error { entries++; return nil })
			if err != nil || len(all) != torn || entries != 2-torn {
				t.Errorf("%d findings: %d entries, %v, %v", findings, entries, all, err)
			}
		})
		if used > 16<<20 {
			t.Errorf("%d MB were allocated", used>>20)
		}
	}
}

func TestPut_entryBeyondTheLimits_isRefused(t *testing.T) {
	at := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	for name, e := range map[string]Entry{
		"bytes":  {At: at, Edit: &Edit{Diff: strings.Repeat("a", maxLine)}},
		"values": {At: at, Audit: &Audit{Findings: make([]Finding, maxValues)}},
	} {
		if err := NewWriter(io.Discard).Put(e); err == nil {
			t.Errorf("%s: written, although it cannot be read", name)
		}
	}
}
