package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// maxLine and maxValues limit one entry. The largest real one, an audit with 300 findings or a
// diff of 1,000 lines, has less than 500 kB and 3,000 values.
const (
	maxLine   = 1 << 20
	maxValues = 1 << 14
)

// Limits of one record. A record of three control planes over a month, with 15 entries a minute,
// has 220 MB and 650,000 entries.
const (
	maxBytes   = 256 << 20
	maxEntries = 1 << 20
	maxTorn    = 1000 // a killed recorder tears one line
)

func entryLimits() bounded.Limits { return bounded.Limits{Bytes: maxLine, Values: maxValues} }

// Torn describes a part of a record that could not be read.
type Torn struct {
	Line int    // counted from 1
	Why  string // cause, for people
}

// String returns the text for people.
func (t Torn) String() string { return fmt.Sprintf("line %d: %s", t.Line, t.Why) }

// Read passes every entry to take, in order. It skips invalid lines, such as the last line of a
// killed recorder, and returns them; the entries that follow are preceded by an Unwatched entry.
// It returns an error if the file does not begin with a header of this format. It also refuses
// several records in one file: the clocks of two recorders are not comparable, and the time
// between them was not watched.
func Read(in io.Reader, take func(Entry) error) ([]Torn, error) {
	var torn []Torn
	var last time.Time
	gap, watched, total := false, false, 0
	reader := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, size, err := nextLine(reader)
		long := size > maxLine
		if total += size; total > maxBytes || n > maxEntries+maxTorn || len(torn) > maxTorn {
			return torn, tooLarge()
		}
		if errors.Is(err, io.EOF) && size == 0 {
			if n == 1 {
				return nil, notARecord("it is empty")
			}
			return torn, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return torn, fmt.Errorf("read the record: %w", err)
		}
		entry, why := parse(line, long)
		if why == "" && entry.At.Before(last) { // a recorder writes in the order of its clock
			why = "older than the line before it"
		}
		switch {
		case n == 1 && (why != "" || entry.Header == nil || entry.Header.Form != Form):
			return nil, notARecord("its first line is no header of " + Form)
		case entry.Header != nil && watched:
			return torn, notARecord(fmt.Sprintf("another record begins in line %d", n))
		case why != "":
			torn, gap = append(torn, Torn{Line: n, Why: why}), true
		default:
			if gap {
				if err := missed(last, entry.At, take); err != nil {
					return torn, err
				}
			}
			if err := take(entry); err != nil {
				return torn, err
			}
			last, gap, watched = entry.At, false, watched || entry.watches()
		}
	}
}

// missed passes an Unwatched entry for a line that could not be read: its stream is unknown.
func missed(from, until time.Time, take func(Entry) error) error {
	for _, stream := range []Stream{Leases, Pods, Nodes, Services} {
		gap := Unwatched{Stream: stream, From: from, Until: until, Lost: true, Unreadable: true, Why: "a line of the record cannot be read"}
		if err := take(Entry{At: until, Missed: &gap}); err != nil {
			return err
		}
	}
	return nil
}

func tooLarge() error {
	return &fault.Error{Class: fault.Usage, Reason: "NoRecord", Object: "record", Seen: "is larger than one that awsmigrate writes",
		Wanted: fmt.Sprintf("at most %d MB and %d entries, %d of them unreadable", maxBytes>>20, maxEntries, maxTorn)}
}

func notARecord(seen string) error {
	return &fault.Error{Class: fault.Usage, Reason: "NoRecord", Object: "record", Seen: seen, Wanted: "a record, which --record or a run wrote; for a report also a bundle of verify --dump, or a journal, as kubectl get configmap -o yaml prints it"}
}

// parse returns the entry of a line, or why it is invalid.
func parse(line []byte, long bool) (entry Entry, why string) {
	if long {
		return Entry{}, fmt.Sprintf("longer than %d bytes", maxLine)
	}
	err := entryLimits().DecodeJSON(line, &entry)
	switch {
	case bounded.Exceeded(err):
		return Entry{}, err.Error()
	case err != nil:
		return Entry{}, "no entry, or not all of one"
	case entry.At.IsZero() || entry.kinds() != 1:
		return Entry{}, "an entry of no kind that is known"
	}
	return entry, ""
}

// kinds returns the number of kinds in an entry; a valid entry has exactly one.
func (e Entry) kinds() int {
	n := 0
	for _, has := range []bool{e.Header != nil, e.Lease != nil, e.Checked != nil, e.Pod != nil, e.Node != nil, e.Machine != nil, e.Service != nil,
		e.Begun != nil, e.Missed != nil, e.Run != nil, e.Step != nil, e.Approval != nil, e.Former != nil,
		e.Edit != nil, e.Write != nil, e.Audit != nil, e.End != nil} {
		if has {
			n++
		}
	}
	return n
}

// watches reports whether an entry comes from a watch of the cluster. Before the first one a
// second header may follow, if a run began before its recorder could watch.
func (e Entry) watches() bool {
	return e.Lease != nil || e.Checked != nil || e.Pod != nil
}

// nextLine returns the next line without its end, and its size. It drops a line longer than
// maxLine.
func nextLine(in *bufio.Reader) (line []byte, size int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size > maxLine {
			line = nil
		} else {
			line = append(line, part...)
		}
		if size > maxBytes || !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), size, err
		}
	}
}
