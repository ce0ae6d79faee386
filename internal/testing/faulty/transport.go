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

// Transport counts requests, and can lose requests and answers.
type Transport struct {
	next http.RoundTripper

	mu    sync.Mutex
	count map[string]int
	// decide returns the fate of the n-th request (from 1) with a method.
	decide func(method string, n int) Fate
}

// Fate is the treatment of one request.
type Fate int

const (
	// Deliver delivers the request and its answer.
	Deliver Fate = iota
	// LoseBefore loses the request, so that the server never sees it.
	LoseBefore
	// LoseAfter delivers the request and loses its answer.
	LoseAfter
	// Answer503 answers like a server that is not ready yet.
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

// Set makes decide choose the fate of each later request, and resets the counts.
func (f *Transport) Set(decide func(method string, n int) Fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.decide = map[string]int{}, decide
}

// Counted returns the number of requests with this method since Set.
func (f *Transport) Counted(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[method]
}

// Client returns a client of config and the transport that its requests pass through.
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
