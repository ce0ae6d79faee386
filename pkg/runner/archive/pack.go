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
	// maxPacked limits the compressed size of one record: an hour and a half at the 5 kB a minute
	// of a cluster with three control planes.
	maxPacked = 512 << 10
	// runsReserve is the part of it that only runs may fill: their steps, edits and audits
	// continue after the watch of the cluster ends.
	runsReserve = 96 << 10
	// gzipBuffer limits what gzip holds back before it writes.
	gzipBuffer = 48 << 10
)

// Limits of a stored record, decompressed. A record of maxPacked bytes has 4 MB and 10,000
// entries.
const (
	maxPlain   = 16 << 20
	maxEntries = 1 << 17
	// endPlain and endEntries reserve room for the last entries: the unwatched times, and the end.
	endPlain   = 2 << 20
	endEntries = 8
)

// Reasons why a stored record is incomplete.
const (
	whyLeft = "the record next to the journal had no room for it"
	whyFull = "the record next to the journal is full, also for its run"
)

// Pack compresses a record while it is written, within limits. Entries that no longer fit are
// noted in it as unwatched. It is not safe for concurrent use.
type Pack struct {
	most    int
	plain   int // bytes before compression
	entries int
	packed  bytes.Buffer
	writer  *gzip.Writer // of the current part, or nil
	last    time.Time    // time of the last entry
	left    time.Time    // when the watch of the cluster ended, or zero
	full    bool         // accepts no more entries
}

// NewPack returns an empty record.
func NewPack() *Pack { return &Pack{most: maxPacked} }

// Put implements record.Sink. A full record is no error.
func (p *Pack) Put(e record.Entry) error {
	used := p.packed.Len() + gzipBuffer
	p.full = p.full || used > p.most || p.plain > maxPlain-endPlain || p.entries > maxEntries-endEntries
	if p.left.IsZero() && (used > p.most-runsReserve || p.nearLimits()) {
		p.left = p.last
	}
	if p.full || !p.left.IsZero() && ofCluster(e) {
		return nil
	}
	p.last = e.At
	return p.write(e)
}

// nearLimits reports whether only the last quarter of the limits is left, which is reserved for
// runs.
func (p *Pack) nearLimits() bool { return p.plain > maxPlain/4*3 || p.entries > maxEntries/4*3 }

// ofCluster reports whether an entry comes from the watch of the cluster, not from a run.
func ofCluster(e record.Entry) bool {
	return e.Header == nil && e.Run == nil && e.Step == nil && e.Approval == nil && e.Former == nil && e.Edit == nil && e.Write == nil && e.Audit == nil && e.End == nil
}

func (p *Pack) write(e record.Entry) error {
	var line bytes.Buffer
	if err := record.NewWriter(&line).Put(e); err != nil {
		return err
	}
	if bytes.Contains(line.Bytes(), []byte("PRIVATE KEY-----")) { // a ConfigMap has more readers than a local file
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

// close ends the current part.
func (p *Pack) close() error {
	if p.writer == nil {
		return nil
	}
	err := p.writer.Close()
	p.writer = nil
	return err
}

// Bytes returns the stored form of the record up to a time, with an end. The record may continue
// afterwards: a gzip file may have several parts (RFC 1952, section 2.2).
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

// Read passes every entry of a stored record to take; see record.Read.
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
