package retry

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
)

func TestTransient(t *testing.T) {
	get := func(err error) error { return &url.Error{Op: "Get", URL: "https://x", Err: err} }
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"nil":                      {nil, false},
		"429":                      {faulty.Status(429), true},
		"502 wrapped":              {fmt.Errorf("read: %w", faulty.Status(502)), true},
		"refused":                  {get(faulty.Refused()), true},
		"EOF":                      {get(io.EOF), true},
		"reset":                    {get(syscall.ECONNRESET), true},
		"deadline":                 {fmt.Errorf("read: %w", context.DeadlineExceeded), true},
		"cancelled":                {get(context.Canceled), false},
		"401":                      {faulty.Status(401), false},
		"404":                      {faulty.Status(404), false},
		"409":                      {faulty.Status(409), false},
		"422":                      {faulty.Status(422), false},
		"403 joined with 503":      {errors.Join(faulty.Status(503), faulty.Status(403)), false},
		"unknown authority":        {get(x509.UnknownAuthorityError{}), false},
		"could not look":           {&fault.Error{Class: fault.CouldNotLook, Err: faulty.Status(503)}, true},
		"a verdict of class Check": {&fault.Error{Class: fault.Check, Err: faulty.Status(503)}, false},
		"a plain error":            {errors.New("no"), false},
		"refused by the fence":     {get(&kube.WriteRefused{}), false},
		"joined, one of them 503":  {errors.Join(errors.New("no"), faulty.Status(503)), true},
	} {
		if got := Transient(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTransient_brokenConnections(t *testing.T) {
	// Errors as net/http really makes them: a connection cut before and in the
	// middle of an answer, a closed port, an answer that never comes.
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		case "/half":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
		case "/hang":
			<-hang
		}
	}))
	defer server.Close()
	defer close(hang)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for address, want := range map[string]bool{
		server.URL + "/cut": true, server.URL + "/half": true, server.URL + "/hang": true, closed.URL: true, secure.URL: false,
	} {
		err := func() error {
			patience := 30 * time.Second // a busy machine takes its time for a TLS handshake
			if strings.HasSuffix(address, "/hang") {
				patience = 200 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			if err != nil {
				return err
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			defer res.Body.Close()
			_, err = io.ReadAll(res.Body)
			return err
		}()
		if err == nil || Transient(err) != want {
			t.Errorf("%s: transient is %v: %v", address, Transient(err), err)
		}
	}
}

// TestTransient_cutAnswer has client-go read a list whose answer ends in the middle by HTTP/2, as from
// a proxy when the API server behind it is killed.
func TestTransient_cutAnswer(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("asked by %s", r.Proto)
		}
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"kind":"NodeList"`))
		panic(http.ErrAbortHandler)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if got := DescribeOutage(err); !Transient(err) || got != "the answer was cut (stream reset)" {
		t.Errorf("transient is %v, described as %q: %v", Transient(err), got, err)
	}
	if e, ok := fault.As(Classify(err, "Nodes")); !ok || e.Reason != "Unreachable" {
		t.Errorf("classified as %v", e)
	}
}

func TestRetry(t *testing.T) {
	c := faulty.NewClock()
	tries := 0
	err := Do(t.Context(), c, time.Minute, "the API", func(context.Context) error {
		if tries++; tries < 5 {
			return faulty.Status(503)
		}
		return nil
	})
	if err != nil || tries != 5 {
		t.Errorf("%d tries: %v", tries, err)
	}

	tries = 0
	if err = Do(t.Context(), c, time.Minute, "the API", func(context.Context) error { tries++; return faulty.Status(409) }); tries != 1 || err == nil {
		t.Errorf("a conflict was tried %d times: %v", tries, err)
	}

	start := c.Now()
	err = Do(t.Context(), c, time.Minute, "the API", func(context.Context) error { return faulty.Status(503) })
	if d := c.Since(start); d > time.Minute || d < 50*time.Second {
		t.Errorf("gave up after %s", d)
	}
	if statusErr := errors.Unwrap(err); statusErr == nil || !Transient(err) {
		t.Errorf("the cause is lost: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	tries = 0
	_ = Do(ctx, c, time.Minute, "the API", func(context.Context) error {
		if tries++; tries == 2 {
			cancel()
		}
		return faulty.Status(503)
	})
	if tries != 2 {
		t.Errorf("%d tries although cancelled at the second", tries)
	}
}

func TestClassify_expiredCredentials_isUnauthorized(t *testing.T) {
	faulty.WantExpiredApart(t, func(err error) error { return Classify(fmt.Errorf("read: %w", err), "x") })
}
