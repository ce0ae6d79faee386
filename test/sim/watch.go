package sim

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
)

// change is one event of a watch.
type change struct {
	revision int64
	kind     string // ADDED, MODIFIED or DELETED
	key      key
	raw      []byte
}

// feed serves a server's watches. A copy of a World has no watchers, because a watcher is a
// process, and a copy has no processes yet.
type feed struct {
	changes   []change
	forgotten int64 // revision of the last change that is kept no longer
	waiting   map[chan struct{}]bool
}

// maxChanges is the number of changes that are kept.
const maxChanges = 2000

// add adds a change, and forgets the oldest ones.
func (f *feed) add(c change) {
	f.changes = append(f.changes, c)
	if half := maxChanges / 2; len(f.changes) > maxChanges {
		f.forgotten = f.changes[half-1].revision
		f.changes = slices.Clone(f.changes[half:])
	}
}

// ServeWatches serves watches of what a recorder watches, in addition to pods.
func (w *World) ServeWatches() {
	for _, resource := range []string{leasesResource, "nodes", "services"} {
		w.down.watched[resource] = true
	}
}

// record stores a change for the watchers, and wakes them.
func (s *server) record(kind string, k key, raw []byte) {
	if !s.watched[k.resource] {
		return
	}
	s.feed.add(change{s.revision, kind, k, raw})
	for c := range maps.Keys(s.feed.waiting) {
		select {
		case c <- struct{}{}:
		default: // already woken
		}
	}
}

// recordRemoval records a removed object with the revision of its removal.
func (s *server) recordRemoval(k key, body object) {
	if !s.watched[k.resource] {
		return
	}
	body = runtime.DeepCopyJSON(body)
	mapAt(body, "metadata")["resourceVersion"] = strconv.FormatInt(s.revision, 10)
	s.record("DELETED", k, must(json.Marshal(body)))
}

// watches reports whether a call watches a resource that can be watched.
func (s *server) watches(c call) bool {
	return c.method == http.MethodGet && c.name == "" && len(c.query["watch"]) > 0 && c.query["watch"][0] != "false" && s.watched[c.kind.resource()]
}

// initialEventsEnd marks the end of the initial events of a watch that begins with a list
// (k8s.io/apimachinery:pkg/apis/meta/v1, InitialEventsAnnotationKey).
const initialEventsEnd = "k8s.io/initial-events-end"

// watching is one watch: the body of its answer. w.mu is held at its start, but not while it is
// read.
type watching struct {
	w      *World
	s      *server
	p      *Process
	of     call
	name   string // of the only object, or empty
	since  int64
	wake   chan struct{}
	done   <-chan struct{} // of the request
	until  <-chan time.Time
	tick   <-chan time.Time // when the world goes on for a watcher that makes no calls; nil for one that makes some
	ended  bool
	unread bytes.Buffer
}

func (t wire) answerWatch(req *http.Request, s *server, c call) *http.Response {
	one := func(name string) string { return req.URL.Query().Get(name) }
	since, err := strconv.ParseInt(one("resourceVersion"), 10, 64)
	if err != nil {
		since = s.revision
	}
	selected, _ := fields.ParseSelector(one("fieldSelector"))
	name, _ := selected.RequiresExactMatch("metadata.name")
	b := &watching{w: t.p.world, s: s, p: t.p, of: c, name: name, since: since, wake: make(chan struct{}, 1), done: req.Context().Done()}
	if name != "" && c.kind.resource() == pods {
		b.tick = time.Tick(tick)
	}
	if seconds, err := strconv.Atoi(one("timeoutSeconds")); err == nil {
		b.until = time.After(time.Duration(seconds) * time.Second)
	}
	if one("sendInitialEvents") == "true" {
		for _, k := range s.keys(c.kind.resource(), c.namespace) {
			b.send("ADDED", s.objects[k].raw)
		}
		b.since = s.revision
		b.send("BOOKMARK", must(json.Marshal(object{"apiVersion": c.kind.apiVersion(), "kind": c.kind.name, "metadata": object{
			"resourceVersion": strconv.FormatInt(s.revision, 10), "annotations": object{initialEventsEnd: "true"}}})))
	}
	s.feed.waiting[b.wake] = true
	res := answer{http.StatusOK, nil}.response(req)
	res.Body, res.ContentLength = b, -1
	return res
}

func (b *watching) send(kind string, raw []byte) {
	b.unread.Write(must(json.Marshal(map[string]any{"type": kind, "object": json.RawMessage(raw)})))
	b.unread.WriteByte('\n')
}

// Read implements io.Reader.
func (b *watching) Read(into []byte) (int, error) {
	for b.unread.Len() == 0 {
		b.w.mu.Lock()
		b.take()
		b.w.mu.Unlock()
		if b.unread.Len() > 0 {
			break
		}
		if b.ended {
			return 0, io.EOF
		}
		select {
		case <-b.tick:
			b.w.mu.Lock()
			b.w.advance(b.w.clock())
			b.w.mu.Unlock()
		case <-b.wake:
		case <-b.until:
			return 0, io.EOF
		case <-b.done:
			return 0, io.ErrUnexpectedEOF
		}
	}
	if b.p.Dead() {
		return 0, ErrKilled
	}
	return b.unread.Read(into)
}

// take collects the changes since the last call. w.mu is held.
func (b *watching) take() {
	if b.since < b.s.feed.forgotten && !b.ended {
		b.ended = true
		b.send("ERROR", must(json.Marshal(metav1.Status{Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired})))
	}
	if b.ended {
		return
	}
	all := b.s.feed.changes
	from, _ := slices.BinarySearchFunc(all, b.since+1, func(c change, revision int64) int { return int(c.revision - revision) })
	for _, c := range all[from:] {
		if b.since = c.revision; c.key.resource == b.of.kind.resource() && (b.of.namespace == "" || b.of.namespace == c.key.namespace) && (b.name == "" || b.name == c.key.name) {
			b.send(c.kind, c.raw)
		}
	}
}

// Close implements io.Closer.
func (b *watching) Close() error {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	delete(b.s.feed.waiting, b.wake)
	return nil
}
