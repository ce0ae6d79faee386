package v1alpha1_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rancher/wrangler/v3/pkg/start"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	awsmigrate "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io"
)

// The code that wrangler generated works with this client-go, on a much older server. A
// handler sees created, changed and deleted objects, also after a broken watch, and after
// the server forgot the watch's resource version.
func (s *onServer) controllers(t *testing.T) {
	line := &line{}
	config := rest.CopyConfig(s.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { line.next = next; return line })
	factory, err := awsmigrate.NewFactoryFromConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	controller := factory.Awsmigrate().V1alpha1().ClusterMigration()
	var seen sync.Map // by key: the goal, "" once it is deleted
	controller.OnChange(t.Context(), "test", func(key string, obj *v1alpha1.ClusterMigration) (*v1alpha1.ClusterMigration, error) {
		goal := v1alpha1.Goal("")
		if obj != nil {
			goal = obj.Spec.Goal
		}
		seen.Store(key, goal)
		return obj, nil
	})
	awaited := func(goal v1alpha1.Goal) {
		t.Helper()
		apiserver.Eventually(t, func() bool { got, _ := seen.Load(namespace + "/prod"); return got == goal })
	}
	made, err := s.typed.Create(typed(t, object(t, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := start.All(t.Context(), 2, factory); err != nil {
		t.Fatal(err)
	}
	awaited(v1alpha1.GoalMigrate)
	if cached, err := controller.Cache().Get(namespace, "prod"); err != nil || cached.UID != made.UID {
		t.Errorf("not in the cache: %v", err)
	}
	change := func(goal v1alpha1.Goal) {
		t.Helper()
		made.Spec.Goal = goal
		if made, err = s.typed.Update(made); err != nil {
			t.Fatal(err)
		}
	}
	change(v1alpha1.GoalUndo) // client-go lists again after a watch that had nothing
	awaited(v1alpha1.GoalUndo)
	lists, watches := line.asked()
	line.cut(false)
	change(v1alpha1.GoalMigrate)
	awaited(v1alpha1.GoalMigrate)
	if again, more := line.asked(); again != lists || more == watches {
		t.Errorf("the watch broke: %d lists, %d watches more", again-lists, more-watches)
	}
	line.cut(true)
	change(v1alpha1.GoalAudit)
	awaited(v1alpha1.GoalAudit)
	if again, _ := line.asked(); again == lists {
		t.Error("the server forgot where the watch was, and nothing was listed")
	}
	if err := s.typed.Delete(namespace, "prod", nil); err != nil {
		t.Fatal(err)
	}
	awaited("")
}

// line is a transport to the server that can be broken.
type line struct {
	next http.RoundTripper

	mu             sync.Mutex
	open           []*watched
	forgotten      bool // the next watch is answered: too old
	lists, watches int
}

// cut ends every watch; forget makes the server reject the next resource version.
func (l *line) cut(forget bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgotten = forget
	for _, body := range l.open {
		body.broken.Store(true)
		body.Close()
	}
	l.open = nil
}

func (l *line) asked() (lists, watches int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lists, l.watches
}

// RoundTrip implements http.RoundTripper.
func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/clustermigrations") {
		return l.next.RoundTrip(r)
	}
	watch := r.URL.Query().Get("watch") == "true"
	if l.count(watch) {
		return expired(r), nil
	}
	response, err := l.next.RoundTrip(r)
	if err == nil && watch {
		l.mu.Lock()
		defer l.mu.Unlock()
		body := &watched{ReadCloser: response.Body}
		response.Body, l.open = body, append(l.open, body)
	}
	return response, err
}

// watched is the body of a watch that can end like a broken connection.
type watched struct {
	io.ReadCloser
	broken atomic.Bool
}

// Read implements io.Reader.
func (w *watched) Read(into []byte) (int, error) {
	n, err := w.ReadCloser.Read(into)
	if err != nil && w.broken.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// count records a request and reports whether the server forgot its resource version.
func (l *line) count(watch bool) (forgotten bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !watch {
		l.lists++
		return false
	}
	l.watches++
	forgotten, l.forgotten = l.forgotten, false
	return forgotten
}

// expired returns the answer of a server whose history is too short.
func expired(r *http.Request) *http.Response {
	const body = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version","reason":"Expired","code":410}`
	return &http.Response{
		StatusCode: http.StatusGone, Status: "410 Gone", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}
