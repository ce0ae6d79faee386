package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// latency is the duration of one request.
const latency = time.Millisecond

// Call is one request or file operation of a process.
type Call struct {
	N      int    // number in the process, from 0
	Writes bool   // it can cause a permanent change
	Watch  bool   // it lasts while its caller reads
	Write  int    // number among the writes
	Verb   string // GET, POST, …; for files the operation
	Server string // "management", "downstream" or "file"
	Path   string
}

// String returns the call in one line.
func (c Call) String() string { return fmt.Sprintf("%s %s %s", c.Server, c.Verb, c.Path) }

// Outcome is the fate of a call.
type Outcome int

// Outcomes of a call.
const (
	Pass      Outcome = iota // carry it out and answer
	Lose                     // refuse the connection without effect
	LoseReply                // carry it out, then cut the connection
	Kill                     // the process dies before it
	KillAfter                // the process dies after it took effect
	Busy                     // 429 with Retry-After
	Internal                 // 500
	Away                     // 503
	Denied                   // 403
	Conflict                 // 409
	Torn                     // carry it out and cut the answer in the middle
	Hang                     // never answer
	Stranger                 // 401
	Absent                   // 404
)

// Process is one run of awsmigrate as the world sees it.
type Process struct {
	world *World
	// Before decides about a call. It may read and change the world.
	Before func(Call) Outcome
	// After receives each completed call.
	After func(Call)

	mu     sync.Mutex
	calls  int
	writes int
	dead   bool
	die    context.CancelFunc
}

// ErrKilled is the error that a dead process gets. It reaches no user.
var ErrKilled = errors.New("this process was killed")

// begin counts a call and returns its outcome.
func (p *Process) begin(c Call) (Call, Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.N, c.Write = p.calls, p.writes
	p.calls++
	if c.Writes {
		p.writes++
	}
	if p.dead {
		return c, Kill
	}
	if p.Before == nil {
		return c, Pass
	}
	return c, p.Before(c)
}

func (p *Process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	p.die()
}

// Dead reports whether the process was killed.
func (p *Process) Dead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// config returns a client configuration for one of the world's servers.
func (p *Process) config(s func(*World) *server) *rest.Config {
	name := s(p.world).name
	return &rest.Config{Host: "https://" + name + ".sim", Transport: wire{p, s, latency}, QPS: -1, Timeout: 30 * time.Second, UserAgent: "awsmigrate"}
}

// wire is the connection of a process to one server.
type wire struct {
	p     *Process
	s     func(*World) *server
	takes time.Duration
}

// RoundTrip implements http.RoundTripper.
func (t wire) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	if t.takes > 0 {
		if err := wait(req.Context(), t.takes); err != nil {
			return nil, err
		}
	}
	res, err := t.do(req, body)
	if errors.Is(err, errHang) {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return res, err
}

var errHang = errors.New("no answer")

func (t wire) do(req *http.Request, body []byte) (*http.Response, error) {
	w := t.p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(w.clock())
	s := t.s(w)
	c, onObjects := s.parse(req, body)
	seen, outcome := t.p.begin(Call{Writes: onObjects && c.writes(), Watch: onObjects && s.watches(c), Verb: req.Method, Server: s.name, Path: req.URL.Path})
	switch outcome {
	case Kill:
		t.p.kill()
		return nil, ErrKilled
	case Hang:
		return nil, errHang
	case Lose:
		return nil, &connectionError{syscall.ECONNREFUSED}
	case Busy, Internal, Away, Denied, Conflict, Stranger, Absent:
		res := failing[outcome].response(req)
		if outcome == Busy {
			res.Header.Set("Retry-After", "1")
		}
		return res, nil
	case Pass, LoseReply, KillAfter, Torn: // the call takes effect first
	}
	var stream *http.Response
	var a answer
	if onObjects && s.watches(c) {
		stream = t.answerWatch(req, s, c)
	} else {
		a = t.answer(s, c, onObjects, req.URL.Path)
	}
	if seen.Writes {
		w.monitor.look(w)
	}
	if t.p.After != nil {
		t.p.After(seen)
	}
	switch outcome {
	case KillAfter:
		t.p.kill()
		return nil, ErrKilled
	case LoseReply:
		return nil, &connectionError{syscall.ECONNRESET}
	case Torn:
		a.body = a.body[:len(a.body)/2]
		res := a.response(req)
		res.Body, res.ContentLength = io.NopCloser(io.MultiReader(res.Body, eof{})), -1
		return res, nil
	default:
		if stream != nil {
			return stream, nil
		}
		return a.response(req), nil
	}
}

func (t wire) answer(s *server, c call, onObjects bool, path string) answer {
	if onObjects {
		return s.serve(c, t.p.world.now)
	}
	if about := s.serveMeta(path); about != nil {
		return *about
	}
	return notServed
}

var notServed = answer{http.StatusNotFound, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404}`)}

var failing = map[Outcome]answer{
	Busy:     {http.StatusTooManyRequests, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":1}}`)},
	Internal: {http.StatusInternalServerError, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500}`)},
	Away:     {http.StatusServiceUnavailable, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"ServiceUnavailable","code":503}`)},
	Denied:   {http.StatusForbidden, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"forbidden by the test"}`)},
	Stranger: {http.StatusUnauthorized, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)},
	Absent:   notServed,
	Conflict: {http.StatusConflict, []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"the object has been modified"}`)},
}

// connectionError looks like a broken connection.
type connectionError struct{ syscall.Errno }

// Error implements error.
func (e *connectionError) Error() string { return "connection: " + e.Errno.Error() }

// Unwrap returns the cause.
func (e *connectionError) Unwrap() error { return e.Errno }

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
