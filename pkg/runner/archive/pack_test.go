package archive

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

var moment = time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)

// filled returns a pack of a size, and its entries, which compress badly.
func filled(t *testing.T, most, entries int) *Pack {
	t.Helper()
	p, random := NewPack(), rand.New(rand.NewPCG(1, 2))
	p.most = most
	put := func(e record.Entry) {
		if err := p.Put(e); err != nil {
			t.Fatal(err)
		}
	}
	put(record.Entry{At: moment, Header: &record.Header{Form: record.Form, Name: "demo"}})
	for i := range entries {
		at := moment.Add(time.Duration(i) * time.Second)
		put(record.Entry{At: at, Lease: &record.Lease{Name: "l", UID: fmt.Sprintf("%x%x%x%x", random.Uint64(), random.Uint64(), random.Uint64(), random.Uint64())}})
		put(record.Entry{At: at, Step: &record.Step{ID: fmt.Sprintf("step-%d", i)}})
	}
	return p
}

func entriesOf(t *testing.T, p *Pack, at time.Time) []record.Entry {
	t.Helper()
	packed, err := p.Bytes(at, "the run is over")
	if err != nil {
		t.Fatal(err)
	}
	var all []record.Entry
	if torn, err := Read(packed, func(e record.Entry) error { all = append(all, e); return nil }); err != nil || len(torn) > 0 {
		t.Fatal(torn, err)
	}
	return all
}

// Read returns the entries of a pack, with an end; the pack may continue.
func TestPackGoesOn(t *testing.T) {
	p := filled(t, maxPacked, 3)
	later := moment.Add(time.Minute)
	for i, want := range []int{8, 9} {
		all := entriesOf(t, p, later)
		if len(all) != want || all[0].Header == nil || all[len(all)-1].End == nil || all[len(all)-1].End.Why != "the run is over" {
			t.Errorf("%d: %d entries, the last %+v", i, len(all), all[len(all)-1])
		}
		if err := p.Put(record.Entry{At: later, Run: &record.Run{ID: "r2"}}); err != nil {
			t.Fatal(err)
		}
	}
}

// A pack that is nearly full stops recording the cluster, notes the time, and continues with the
// run; a full one notes that. Neither exceeds its limit.
func TestPackIsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		entries int
		full    bool
	}{"nearly full": {10_000, false}, "full": {60_000, true}} {
		p := filled(t, 300<<10, tt.entries)
		if p.left.IsZero() || p.full != tt.full {
			t.Fatalf("%s: left off at %s, full %t", name, p.left, p.full)
		}
		end := moment.Add(24 * time.Hour)
		packed, err := p.Bytes(end, "the run is over")
		if err != nil || len(packed) > p.most+gzipBuffer {
			t.Errorf("%s: %d bytes, %v", name, len(packed), err)
		}
		all := entriesOf(t, p, end)
		leases, steps, missed := 0, 0, map[record.Stream]record.Unwatched{}
		for _, e := range all {
			switch {
			case e.Lease != nil:
				leases++
			case e.Step != nil:
				steps++
			case e.Missed != nil:
				missed[e.Missed.Stream] = *e.Missed
			}
		}
		if why := all[len(all)-1].End.Why; (why == whyFull) != tt.full || (steps == tt.entries) == tt.full || leases == 0 || leases >= tt.entries {
			t.Errorf("%s: %d leases and %d steps of %d, ends since %q", name, leases, steps, tt.entries, why)
		}
		for _, stream := range []record.Stream{record.Leases, record.Pods, record.Nodes, record.Services} {
			if m := missed[stream]; !m.Lost || !m.From.Equal(p.left) || !m.Until.Equal(end) {
				t.Errorf("%s: %s %+v", name, stream, m)
			}
		}
	}
}

// A private key is never stored where others may read it.
func TestPackHoldsNoKey(t *testing.T) {
	p := filled(t, maxPacked, 1)
	key := record.Entry{At: moment.Add(time.Minute), Edit: &record.Edit{Object: "cluster.yml", Diff: "+ -----BEGIN RSA PRIVATE KEY-----"}}
	if err := p.Put(key); err == nil {
		t.Error("a private key was packed")
	}
}

// An invalid or incomplete record is an error or a torn line, and never a whole record.
func TestReadOfWhatIsNone(t *testing.T) {
	nothing := func(record.Entry) error { return nil }
	if _, err := Read([]byte("no gzip"), nothing); err == nil {
		t.Error("text was unpacked")
	}
	packed, err := filled(t, maxPacked, 50).Bytes(moment.Add(time.Hour), "")
	if err != nil {
		t.Fatal(err)
	}
	if torn, err := Read(packed[:len(packed)/2], nothing); err == nil && len(torn) == 0 {
		t.Error("half of a record was taken for a whole one")
	}
}
