package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
)

const (
	// mostOfOne is how much one record may take, compressed: at the 5 kB a minute that a
	// cluster of three control planes made, an hour and a half.
	mostOfOne = 512 << 10
	// forRuns is what of it only the runs themselves may fill: their steps, edits and audits
	// go on where the cluster is no longer followed.
	forRuns = 96 << 10
	// pending is what gzip holds back until it knows how to write it.
	pending = 48 << 10
)

// Bounds of a record that is kept, decompressed. One of mostOfOne bytes has 4 MB and 10,000
// entries.
const (
	maxPlain   = 16 << 20
	maxEntries = 1 << 17
	// endPlain and endEntries are for the last entries: what was not watched, and the end.
	endPlain   = 2 << 20
	endEntries = 8
)

// Why a record that is kept says no more.
const (
	whyLeft = "the record beside the journal had no room for it"
	whyFull = "the record beside the journal is full, also for its run"
)

// Pack is a record that is compressed while it is made, and bounded. What no longer fits
// is named in it as not watched. It is not safe for concurrent use.
type Pack struct {
	most    int
	plain   int // bytes before they are compressed
	entries int
	packed  bytes.Buffer
	writer  *gzip.Writer // of the part that is being written; nil: none
	last    time.Time    // of an entry
	left    time.Time    // since when the cluster is followed no longer; zero: it is
	full    bool         // nothing more is taken
}

// NewPack is an empty record.
func NewPack() *Pack { return &Pack{most: mostOfOne} }

// Put implements record.Sink. It never fails for want of room.
func (p *Pack) Put(e record.Entry) error {
	used := p.packed.Len() + pending
	p.full = p.full || used > p.most || p.plain > maxPlain-endPlain || p.entries > maxEntries-endEntries
	if p.left.IsZero() && (used > p.most-forRuns || p.nearLimits()) {
		p.left = p.last
	}
	if p.full || !p.left.IsZero() && ofCluster(e) {
		return nil
	}
	p.last = e.At
	return p.write(e)
}

// nearLimits reports whether the rest of the bounds is for the runs alone: a quarter.
func (p *Pack) nearLimits() bool { return p.plain > maxPlain/4*3 || p.entries > maxEntries/4*3 }

// ofCluster says whether an entry is of what is followed, and not of a run.
func ofCluster(e record.Entry) bool {
	return e.Header == nil && e.Run == nil && e.Step == nil && e.Approval == nil && e.Former == nil && e.Edit == nil && e.Write == nil && e.Audit == nil && e.End == nil
}

func (p *Pack) write(e record.Entry) error {
	var line bytes.Buffer
	if err := record.NewWriter(&line).Put(e); err != nil {
		return err
	}
	if bytes.Contains(line.Bytes(), []byte("PRIVATE KEY-----")) { // more may read a ConfigMap than a file of one's own
		return errors.New("a private key was about to be put into the record")
	}
	if p.writer == nil {
		var err error
		if p.writer, err = gzip.NewWriterLevel(&p.packed, gzip.BestCompression); err != nil {
			return err
		}
	}
	p.plain, p.entries = p.plain+line.Len(), p.entries+1
	_, err := p.writer.Write(line.Bytes())
	return err
}

// close ends the part that is being written.
func (p *Pack) close() error {
	if p.writer == nil {
		return nil
	}
	err := p.writer.Close()
	p.writer = nil
	return err
}

// Bytes is the record up to a moment, as it is kept, with an end. It may go on afterwards:
// a gzip file may have several parts (RFC 1952, section 2.2).
func (p *Pack) Bytes(at time.Time, why string) ([]byte, error) {
	last := Pack{}
	var errs []error
	if !p.left.IsZero() {
		for _, stream := range []record.Stream{record.Leases, record.Pods, record.Nodes, record.Services} {
			gap := record.Unwatched{Stream: stream, From: p.left, Until: at, Lost: true, Why: whyLeft}
			errs = append(errs, last.write(record.Entry{At: at, Missed: &gap}))
		}
	}
	if p.full {
		why = whyFull
	}
	errs = append(errs, last.write(record.Entry{At: at, End: &record.End{Why: why}}), last.close(), p.close())
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("compress the record: %w", err)
	}
	return slices.Concat(p.packed.Bytes(), last.packed.Bytes()), nil
}

// Read hands every entry of a record that was kept to take; see record.Read.
func Read(packed []byte, take func(record.Entry) error) ([]record.Torn, error) {
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack the record: %w", err)
	}
	plain, entries := &io.LimitedReader{R: in, N: maxPlain + 1}, 0
	torn, err := record.Read(plain, func(e record.Entry) error {
		if entries++; entries > maxEntries || plain.N == 0 {
			return tooLarge()
		}
		return take(e)
	})
	if err == nil && plain.N == 0 {
		err = tooLarge()
	}
	return torn, err
}

func tooLarge() error {
	return &fault.Error{Class: fault.Usage, Reason: "NoRecord", Object: "record", Seen: "is larger than one that awsmigrate keeps",
		Wanted: fmt.Sprintf("at most %d bytes and %d entries", maxPlain, maxEntries)}
}
