package watch

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

const (
	// firstPause and longestPause limit the time between two tries to watch.
	firstPause   = 200 * time.Millisecond
	longestPause = 2 * time.Second
	// LongestRefused is the time between two tries if access is forbidden: each try is a line in
	// an audit log, and the permission may be granted meanwhile.
	LongestRefused = 5 * time.Minute
	// watchTimeout limits one watch request, so that a hanging connection is noticed. The next
	// watch resumes there.
	watchTimeout = time.Minute
)

func absent(err error) bool { return apierrors.IsNotFound(err) }

// source describes the reads of a stream.
type source struct {
	stream record.Stream
	// list passes every object of a page, and returns the version of the list.
	list func(ctx context.Context, page string, each func(any)) (version string, err error)
	// watch begins after a version.
	watch func(ctx context.Context, version string) (watch.Interface, error)
	// entry returns the recorded fields of an object; ok is false if it is not recorded.
	entry func(object any, gone bool) (e record.Entry, ok bool)
	// none returns the entry for an empty list, or is nil.
	none func() record.Entry
}

// stream follows a source.
type stream struct {
	session *session
	source
	version string
	heard   time.Time         // time of the last event
	known   map[string]digest // recorded state by UID
	last    map[string]record.Entry
	pause   time.Duration
	brief   bool // the last watch that could be opened ended soon
	began   bool
}

// digest detects whether the recorded fields of an object changed.
type digest [sha256.Size]byte

// follow watches until ctx ends.
func (w *stream) follow(ctx context.Context) {
	for ctx.Err() == nil {
		if w.version == "" {
			if err := w.listAll(ctx); err != nil {
				w.lost(ctx, err)
				continue
			}
		}
		began := w.session.now()
		opened, err := w.watchOn(ctx)
		lasted := w.session.now().Sub(began)
		if opened {
			w.opened(lasted >= longestPause)
		}
		if expired(err) {
			w.version = ""
		}
		switch {
		case err != nil:
			w.lost(ctx, err)
		case lasted < firstPause: // a server that ends every watch at once must not be asked in a loop
			w.rest(ctx, longestPause)
		}
	}
}

// opened resets the pause after a watch that could be opened, unless the last two ended soon: a
// restarted API server may know no older version, and must be listed soon.
func (w *stream) opened(lasts bool) {
	if lasts || !w.brief {
		w.pause = 0
	}
	w.brief = !lasts
}

// refused reports whether an API server forbids a request until the permission is granted.
// Expired credentials do not count, because others may replace them.
func refused(err error) bool { return apierrors.IsForbidden(err) }

// expired reports whether a version is too old to resume from: 410, in one of its forms.
func expired(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }

// lost notes that the stream is not watched, and waits before the next try.
func (w *stream) lost(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	w.session.gone(w, err)
	if !refused(err) {
		w.rest(ctx, longestPause)
		return
	}
	if tell := w.session.recorder.Refused; tell != nil {
		tell(string(w.stream))
	}
	w.rest(ctx, LongestRefused)
}

// rest waits, longer each time, up to a limit.
func (w *stream) rest(ctx context.Context, longest time.Duration) {
	w.pause = min(max(2*w.pause, firstPause), longest)
	timer := w.session.recorder.Clock.NewTimer(w.pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C():
	}
}

// gone notes since when a stream is away.
func (s *session) gone(w *stream, err error) {
	s.mu.Lock()
	_, told := s.away[w]
	if !told {
		from := w.heard
		if from.IsZero() {
			from = s.at(s.opened)
		}
		s.away[w] = away{stream: w.stream, from: from, why: short(err)}
	}
	s.mu.Unlock()
	if !told && s.recorder.Say != nil && !expired(err) {
		s.recorder.Say(fmt.Sprintf("%s are not seen: %s", w.stream, short(err)))
	}
}

// short returns an error's text without its uninteresting parts.
func short(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return string(status.Status().Reason)
	}
	return "the API server does not answer"
}

// back ends a gap, and returns an entry if the gap is worth recording.
func (s *session) back(w *stream, lost bool) (record.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, was := s.away[w]
	delete(s.away, w)
	if !was || !lost && s.now().Sub(a.from) < minGap {
		return record.Entry{}, false
	}
	return record.Entry{Missed: &record.Unwatched{Stream: a.stream, From: a.from, Lost: lost, Why: a.why}}, true
}

// listAll records all objects: at the beginning, and when a watch cannot resume.
func (w *stream) listAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 4*w.session.recorder.Timeout) // several pages
	defer cancel()
	var entries []record.Entry
	there := map[string]bool{}
	version, err := w.list(ctx, "", func(object any) {
		if e, ok := w.changed(object, false, there); ok {
			entries = append(entries, e)
		}
	})
	if err != nil {
		return err
	}
	for uid, e := range w.last {
		if !there[uid] {
			delete(w.last, uid)
			delete(w.known, uid)
			entries = append(entries, e)
		}
	}
	if len(there) == 0 && w.none != nil {
		entries = append(entries, w.none())
	}
	if e, tell := w.session.back(w, true); tell {
		entries = append([]record.Entry{e}, entries...)
	}
	if !w.began && w.session.begins(w.stream) {
		entries = append(entries, record.Entry{Begun: &record.Begun{Stream: w.stream}})
	}
	w.began, w.version, w.heard = true, version, w.session.now()
	w.session.put(entries...)
	return nil
}

// begins counts the sources of a stream that are watched; Begun needs all of them.
func (s *session) begins(stream record.Stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun[stream]++
	return stream != record.Leases || s.begun[stream] == len(record.LeaseNames())
}

// watchOn watches from the stream's version until the server ends the watch. opened reports whether
// the watch began.
func (w *stream) watchOn(ctx context.Context) (opened bool, err error) {
	events, err := w.watch(ctx, w.version)
	if err != nil {
		return false, err
	}
	defer events.Stop()
	if e, tell := w.session.back(w, false); tell {
		w.session.put(e)
	}
	for {
		select {
		case <-ctx.Done():
			return true, nil
		case event, open := <-events.ResultChan():
			if !open {
				return true, nil
			}
			if event.Type == watch.Error {
				return true, apierrors.FromObject(event.Object)
			}
			w.take(event)
		}
	}
}

// take records one event.
func (w *stream) take(event watch.Event) {
	w.heard = w.session.now()
	if m, err := meta.Accessor(event.Object); err == nil {
		w.version = m.GetResourceVersion()
	}
	if event.Type == watch.Bookmark {
		return
	}
	if e, ok := w.changed(event.Object, event.Type == watch.Deleted, map[string]bool{}); ok {
		w.session.put(e)
	}
}

// changed returns the change of an object; ok is false without one.
func (w *stream) changed(object any, gone bool, there map[string]bool) (record.Entry, bool) {
	m, err := meta.Accessor(object.(runtime.Object))
	if err != nil {
		return record.Entry{}, false
	}
	uid := string(m.GetUID())
	e, is := w.entry(object, gone)
	if !is {
		if last, was := w.last[uid]; was { // the object changed its kind
			delete(w.last, uid)
			delete(w.known, uid)
			return last, true
		}
		return e, false
	}
	there[uid] = true
	if gone {
		delete(w.last, uid)
		delete(w.known, uid)
		return e, true
	}
	sum := sumOf(e)
	if w.known[uid] == sum {
		return e, false
	}
	w.known[uid] = sum
	if farewell, is := w.entry(object, true); is {
		w.last[uid] = farewell
	}
	return e, true
}

// sumOf returns a digest of an entry.
func sumOf(e record.Entry) digest {
	text, err := json.Marshal(e)
	if err != nil {
		return digest{}
	}
	return sha256.Sum256(text)
}
