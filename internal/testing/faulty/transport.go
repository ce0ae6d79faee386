package faulty

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Transport can lose requests and answers, and counts.
type Transport struct {
	next http.RoundTripper

	mu    sync.Mutex
	count map[string]int
	// decide says what becomes of the n-th request (from 1) with this method.
	decide func(method string, n int) Fate
}

// Fate is what becomes of one request.
type Fate int

const (
	// Deliver lets the request and its answer pass.
	Deliver Fate = iota
	// LoseBefore is a request that the server never sees.
	LoseBefore
	// LoseAfter is a request that the server acts on, and whose answer is lost.
	LoseAfter
	// Answer503 is a server that is not there yet.
	Answer503
)

// RoundTrip implements http.RoundTripper.
func (f *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.count[req.Method]++
	what := Deliver
	if f.decide != nil {
		what = f.decide(req.Method, f.count[req.Method])
	}
	f.mu.Unlock()
	switch what {
	case LoseBefore:
		return nil, syscall.ECONNREFUSED
	case Answer503:
		return &http.Response{
			Status: "503 Service Unavailable", StatusCode: http.StatusServiceUnavailable, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: io.NopCloser(strings.NewReader("away")), Request: req,
		}, nil
	case LoseAfter:
		if res, err := f.next.RoundTrip(req); err == nil {
			res.Body.Close()
		}
		return nil, io.ErrUnexpectedEOF
	case Deliver:
	}
	return f.next.RoundTrip(req)
}

// Set has decide say what becomes of each request from now on, and counts anew.
func (f *Transport) Set(decide func(method string, n int) Fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.decide = map[string]int{}, decide
}

// Counted is how many requests with this method there were since Set.
func (f *Transport) Counted(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[method]
}

// Client is a client of config whose requests pass through the transport.
func Client(t *testing.T, config *rest.Config) (kubernetes.Interface, *Transport) {
	t.Helper()
	config = rest.CopyConfig(config)
	config.QPS = -1
	f := &Transport{count: map[string]int{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { f.next = next; return f })
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c, f
}
