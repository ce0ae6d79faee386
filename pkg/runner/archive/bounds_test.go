package archive

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
)

func gzipped(t *testing.T, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for _, part := range parts {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const header = `{"at":"2026-11-25T09:00:00Z","header":{"form":"` + record.Form + `","name":"demo"}}` + "\n"

func TestRead_beyondTheLimits_isRefused(t *testing.T) {
	const step = `{"at":"2026-11-25T09:00:00Z","step":{"id":"s"}}` + "\n"
	long := `{"at":"2026-11-25T09:00:00Z","edit":{"diff":"` + strings.Repeat("a", 1<<19) + `"}}` + "\n"
	for name, packed := range map[string][]byte{
		"entries": gzipped(t, header, strings.Repeat(step, maxEntries+1)),
		"bytes":   gzipped(t, header, strings.Repeat(long, maxPlain>>19)),
		"a bomb":  gzipped(t, header, strings.Repeat(long, 3*maxPlain>>19)),
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			used := faulty.Allocated(func() { _, err = Read(packed, func(record.Entry) error { return nil }) })
			t.Logf("%d kB packed, %d MB: %v", len(packed)>>10, used>>20, err)
			faulty.WantClass(t, err, fault.Usage, "record", "larger than")
			if used > 512<<20 { // garbage of one entry at a time
				t.Errorf("%d MB were allocated", used>>20)
			}
		})
	}
}

// Text that compresses well is limited by its plain size, so that it can be read again.
func TestPut_muchThatCompresses_isReadAgain(t *testing.T) {
	for name, diff := range map[string]string{"large entries": strings.Repeat("a", 1<<18), "small entries": ""} {
		p := NewPack()
		put := func(e record.Entry) {
			if err := p.Put(e); err != nil {
				t.Fatal(err)
			}
		}
		put(record.Entry{At: moment, Header: &record.Header{Form: record.Form, Name: "demo"}})
		for i := range maxEntries + 10 {
			if p.full {
				break
			}
			put(record.Entry{At: moment, Edit: &record.Edit{Run: fmt.Sprint(i / 1000), Diff: diff}})
		}
		all := entriesOf(t, p, moment.Add(time.Hour))
		if !p.full || len(all) < 60 || all[len(all)-1].End.Why != whyFull {
			t.Errorf("%s: %d entries, full %t", name, len(all), p.full)
		}
	}
}
