package runner

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
)

// faults is a transport that can lose requests and answers, and counts.
type faults struct {
	next http.RoundTripper

	mu    sync.Mutex
	count map[string]int
	// decide says what becomes of the n-th request (from 1) with this method.
	decide func(method string, n int) fate
}

type fate int

const (
	deliver    fate = iota
	loseBefore      // the server never sees it
	loseAfter       // the server acts, the answer is lost
	answer503
)

func (f *faults) RoundTrip(req *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.count[req.Method]++
	what := deliver
	if f.decide != nil {
		what = f.decide(req.Method, f.count[req.Method])
	}
	f.mu.Unlock()
	switch what {
	case loseBefore:
		return nil, syscall.ECONNREFUSED
	case answer503:
		return &http.Response{
			Status: "503 Service Unavailable", StatusCode: http.StatusServiceUnavailable, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: io.NopCloser(strings.NewReader("away")), Request: req,
		}, nil
	case loseAfter:
		if res, err := f.next.RoundTrip(req); err == nil {
			res.Body.Close()
		}
		return nil, io.ErrUnexpectedEOF
	case deliver:
	}
	return f.next.RoundTrip(req)
}

func (f *faults) set(decide func(method string, n int) fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count, f.decide = map[string]int{}, decide
}

func (f *faults) counted(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[method]
}

// client is a client of config whose requests pass through faults.
func client(t *testing.T, config *rest.Config) (kubernetes.Interface, *faults) {
	t.Helper()
	config = rest.CopyConfig(config)
	config.QPS = -1
	f := &faults{count: map[string]int{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { f.next = next; return f })
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c, f
}

// elapse moves a clock on whenever somebody waits on it, until done is closed.
func elapse(c *clocktesting.FakeClock, by time.Duration, done <-chan struct{}) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if c.HasWaiters() {
				c.Step(by)
			}
		}
	}
}

func fakeClock() *clocktesting.FakeClock { return newStepClock().FakeClock }

var get = metav1.GetOptions{}
