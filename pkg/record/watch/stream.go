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
	// firstPause and longestPause are between two tries to watch.
	firstPause   = 200 * time.Millisecond
	longestPause = 2 * time.Second
	// LongestRefused is between two tries where it is forbidden to look: each is a line in
	// an audit log, and somebody may grant it in the middle.
	LongestRefused = 5 * time.Minute
	// watchFor bounds one watch request, so that a connection that hangs is noticed. It
	// goes on where it was.
	watchFor = time.Minute
)

func absent(err error) bool { return apierrors.IsNotFound(err) }

// source is what a stream reads.
type source struct {
	stream record.Stream
	// list hands out every object and gives the version that they are of; from a page on.
	list func(ctx context.Context, page string, each func(any)) (version string, err error)
	// watch begins behind a version.
	watch func(ctx context.Context, version string) (watch.Interface, error)
	// entry is what the record keeps of an object; ok is false for one that it has nothing
	// to do with.
	entry func(object any, gone bool) (e record.Entry, ok bool)
	// none is the entry for there being nothing at all; nil: there is none.
	none func() record.Entry
}

// stream follows a source.
type stream struct {
	session *session
	source
	version string
	heard   time.Time         // when anything was last received
	known   map[string]digest // by UID: what the record has of it
	last    map[string]record.Entry
	pause   time.Duration
	began   bool
}

// digest tells whether what is recorded of an object changed.
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
		err := w.watchOn(ctx)
		if expired(err) {
			w.version = ""
		}
		switch {
		case err != nil:
			w.lost(ctx, err)
		case w.session.now().Sub(began) < firstPause: // whoever ends every watch at once is not asked in a loop
			w.rest(ctx, longestPause)
		}
	}
}

// refused reports whether an API server forbids what was asked: until somebody grants it. Expired
// credentials are no such case, as others may take their place.
func refused(err error) bool { return apierrors.IsForbidden(err) }

// expired says whether a version is too old to be gone on from: 410, in one of its forms.
func expired(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }

// lost notes that nothing is seen, and waits before the next try.
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

// short is an error without what is no news to anybody.
func short(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return string(status.Status().Reason)
	}
	return "the API server does not answer"
}

// back ends a stretch in which nothing was seen: as an entry, if there is something to tell.
func (s *session) back(w *stream, lost bool) (record.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, was := s.away[w]
	delete(s.away, w)
	w.pause = 0
	if !was || !lost && s.now().Sub(a.from) < shortest {
		return record.Entry{}, false
	}
	return record.Entry{Missed: &record.Unwatched{Stream: a.stream, From: a.from, Lost: lost, Why: a.why}}, true
}

// listAll takes in everything there is: at the beginning, and when it cannot go on.
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

// begins counts the sources of a stream; all of them have to be seen.
func (s *session) begins(stream record.Stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun[stream]++
	return stream != record.Leases || s.begun[stream] == len(record.LeaseNames())
}

// watchOn watches from where the stream stands, until the server ends it.
func (w *stream) watchOn(ctx context.Context) error {
	events, err := w.watch(ctx, w.version)
	if err != nil {
		return err
	}
	defer events.Stop()
	if e, tell := w.session.back(w, false); tell {
		w.session.put(e)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-events.ResultChan():
			if !open {
				return nil
			}
			if event.Type == watch.Error {
				return apierrors.FromObject(event.Object)
			}
			w.take(event)
		}
	}
}

// take takes one event in.
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

// changed is what is new about an object; ok is false where nothing is.
func (w *stream) changed(object any, gone bool, there map[string]bool) (record.Entry, bool) {
	m, err := meta.Accessor(object.(runtime.Object))
	if err != nil {
		return record.Entry{}, false
	}
	uid := string(m.GetUID())
	e, is := w.entry(object, gone)
	if !is {
		if last, was := w.last[uid]; was { // it has become something else
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

// sumOf returns a digest of what an entry says.
func sumOf(e record.Entry) digest {
	text, err := json.Marshal(e)
	if err != nil {
		return digest{}
	}
	return sha256.Sum256(text)
}
