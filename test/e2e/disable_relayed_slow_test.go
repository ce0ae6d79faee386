//go:build slow

package e2e

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// killedAtEachWrite kills awsmigrate after an API server has carried out a write and before it has
// answered, and types the same command again. It does so until a run ends that makes no write
// after which none was killed yet.
func killedAtEachWrite(ctx context.Context, t *testing.T, d *duel) {
	k := &killer{at: map[string]bool{}}
	command := d.relayed(t, k.wrap)
	for d.run == nil || k.hasKilled(d.run) {
		k.mu.Lock() // no request passes before its process is known
		var err error
		d.run, err = d.lab.Start(ctx, testWriter{t}, command...)
		must(t, err)
		k.run, k.last = d.run, "the start"
		k.mu.Unlock()
		<-d.run.Done()
	}
	t.Logf("killed %d times:\n%s", len(k.at), strings.Join(slices.Sorted(maps.Keys(k.at)), "\n"))
	if len(k.at) < 15 {
		t.Errorf("killed %d times, wanted at least 15", len(k.at))
	}
}

// revision is the end of the name of Helm's Secret. Each upgrade has its own.
var revision = regexp.MustCompile(`\.v[0-9]+$`)

// killer kills a run after each write that it sees for the first time. A write is known by its
// path and by the previous one, since the journal is written at each step of the way.
type killer struct {
	mu     sync.Mutex
	at     map[string]bool
	last   string
	run    *scenario.Run
	killed *scenario.Run
}

func (k *killer) wrap(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isWrite(r) {
			forward.ServeHTTP(w, r)
			return
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.killed == k.run {
			panic(http.ErrAbortHandler)
		}
		answer := httptest.NewRecorder()
		forward.ServeHTTP(answer, r)
		if answer.Code < http.StatusMultipleChoices && k.isNew(r) {
			k.killed = k.run
			_ = k.run.Signal(syscall.SIGKILL)
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// isNew adds a write to those seen. Renewals of the lock come at any time, so they do not count as
// the write before another.
func (k *killer) isNew(r *http.Request) bool {
	write := r.Method + " " + revision.ReplaceAllString(r.URL.Path, ".v*")
	if strings.Contains(write, "/leases/") {
		seen := k.at[write]
		k.at[write] = true
		return !seen
	}
	key := write + " after " + k.last
	seen := k.at[key]
	k.at[key], k.last = true, write
	return !seen
}

func (k *killer) hasKilled(run *scenario.Run) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.killed == run
}

// isWrite reports whether a request changes an object.
func isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && !strings.HasSuffix(r.URL.Path, "reviews")
}

// watchesAreCut ends all of awsmigrate's watches each time that it has deleted a pod. Each of the
// three pods has one, which would show its end.
func watchesAreCut(ctx context.Context, t *testing.T, d *duel) {
	c := &cutter{}
	var err error
	d.run, err = d.lab.Start(ctx, testWriter{t}, d.relayed(t, c.wrap)...)
	must(t, err)
	<-d.run.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cuts < 3 {
		t.Errorf("%d watches of a pod were cut, wanted 3", c.cuts)
	}
}

// relayed returns the command of a run whose requests pass through wrap.
func (d *duel) relayed(t *testing.T, wrap func(http.Handler) http.Handler) []string {
	t.Helper()
	relay, err := d.lab.NewRelay(t.TempDir(), wrap)
	must(t, err)
	t.Cleanup(relay.Close)
	return d.lab.Command("", append([]string{"--yes", "--no-etcd-snapshot"}, relay.Flags...)...)
}

// cutter cuts the watches that are open when a pod has just been deleted.
type cutter struct {
	mu   sync.Mutex
	open []context.CancelFunc
	cuts int // of watches of a single pod
}

func (c *cutter) wrap(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			ctx, cancel := context.WithCancel(r.Context())
			c.mu.Lock()
			c.open = append(c.open, cancel)
			c.mu.Unlock()
			defer func() { // a cut watch panics
				c.mu.Lock()
				defer c.mu.Unlock()
				if ctx.Err() != nil && r.Context().Err() == nil && strings.Contains(r.URL.Query().Get("fieldSelector"), "metadata.name=") {
					c.cuts++
				}
				cancel()
			}()
			forward.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		forward.ServeHTTP(w, r)
		if r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/pods/") {
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, cut := range c.open {
				cut()
			}
			c.open = nil
		}
	})
}
