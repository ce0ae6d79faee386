package recording

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// now returns the record's time, which the recorder shares.
func (r *Recording) now() time.Time {
	return r.began.Round(0).Add(r.o.Clock.Since(r.began)).UTC()
}

// Put implements record.Sink for the recorder. It never fails: the first write error is
// reported, and recording in memory continues.
func (r *Recording) Put(e record.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Header != nil && r.blind { // entries of a run came first
		r.blind = false
		for _, stream := range []record.Stream{record.Leases, record.Pods, record.Nodes, record.Services} {
			gap := record.Unwatched{Stream: stream, From: r.first, Until: e.At, Lost: true, Why: "it could not be watched yet"}
			r.put(record.Entry{At: e.At, Missed: &gap})
		}
	}
	r.put(e)
	if e.Header != nil {
		r.first = e.At
		r.release()
	}
	return nil
}

// add adds an entry of a run, or holds it until the header exists.
func (r *Recording) add(e record.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran, e.At = true, r.now()
	r.worked = r.worked || e.Step != nil && e.Step.Outcome == "" && !isReadOnly(e.Step.ID)
	if r.first.IsZero() {
		r.held = append(r.held, e)
		return
	}
	r.put(e)
}

// isReadOnly reports whether a step changes nothing.
func isReadOnly(step string) bool {
	return step == string(migration.StepPreflight) || step == string(migration.StepUndoPreflight) || step == string(migration.StepVerify)
}

// release writes the held entries. Their times are not before the header's.
func (r *Recording) release() {
	for _, e := range r.held {
		r.put(e)
	}
	r.held = nil
}

// writeBlindHeader writes a header without a working recorder: the steps of a run deserve a
// report without the cluster, too.
func (r *Recording) writeBlindHeader(cluster string) {
	if !r.first.IsZero() {
		return
	}
	r.first, r.blind = r.now(), true
	if len(r.held) > 0 { // earlier steps keep their times
		r.first = r.held[0].At
	}
	header := record.Header{Form: record.Form, Version: r.o.Version, By: r.o.By, Name: cluster, Context: r.o.Command}
	r.put(record.Entry{At: r.first, Header: &header})
	r.release()
}

// end ends a record that its recorder did not end.
func (r *Recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeBlindHeader("")
	if !r.ended {
		r.put(record.Entry{At: r.now(), End: &record.End{Why: "the run is over"}})
	}
}

// put writes an entry with a time that is not before the last one.
func (r *Recording) put(e record.Entry) {
	if e.At.Before(r.last) {
		e.At = r.last
	}
	r.last, r.ended = e.At, e.End != nil
	_ = r.judge.Put(e) // it never fails
	if r.pack != nil && e.End == nil && r.unpacked == nil {
		r.unpacked = r.pack.Put(e)
	}
	if r.writer == nil {
		return
	}
	if err := r.writer.Put(e); err != nil {
		r.writer = nil
		r.say(fmt.Sprintf("the record ends here; the run continues: %v", err))
	}
}
