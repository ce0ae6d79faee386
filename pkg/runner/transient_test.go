package runner

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

	"github.com/awsmigrate/awsmigrate/pkg/kube"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

func TestTransient(t *testing.T) {
	get := func(err error) error { return &url.Error{Op: "Get", URL: "https://x", Err: err} }
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"nil":                     {nil, false},
		"429":                     {status(429), true},
		"502 wrapped":             {fmt.Errorf("read: %w", status(502)), true},
		"refused":                 {get(errRefused), true},
		"EOF":                     {get(io.EOF), true},
		"reset":                   {get(syscall.ECONNRESET), true},
		"deadline":                {fmt.Errorf("read: %w", context.DeadlineExceeded), true},
		"cancelled":               {get(context.Canceled), false},
		"401":                     {status(401), false},
		"404":                     {status(404), false},
		"409":                     {status(409), false},
		"422":                     {status(422), false},
		"403 beside 503":          {errors.Join(status(503), status(403)), false},
		"unknown authority":       {get(x509.UnknownAuthorityError{}), false},
		"could not look":          {&fault.Error{Class: fault.CouldNotLook, Err: status(503)}, true},
		"somebody's verdict":      {&fault.Error{Class: fault.Check, Err: status(503)}, false},
		"a plain error":           {errors.New("no"), false},
		"refused by the fence":    {get(&kube.WriteRefused{}), false},
		"joined, one of them 503": {errors.Join(errors.New("no"), status(503)), true},
	} {
		if got := Transient(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTransientOnTheWire(t *testing.T) {
	// Errors as net/http really makes them: a connection cut before and in the
	// middle of an answer, a port nobody listens on, an answer that never comes.
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

func TestRetry(t *testing.T) {
	c := newStepClock()
	tries := 0
	err := retry(t.Context(), c, time.Minute, "the API", func(context.Context) error {
		if tries++; tries < 5 {
			return status(503)
		}
		return nil
	})
	if err != nil || tries != 5 {
		t.Errorf("%d tries: %v", tries, err)
	}

	tries = 0
	if err = retry(t.Context(), c, time.Minute, "the API", func(context.Context) error { tries++; return status(409) }); tries != 1 || err == nil {
		t.Errorf("a conflict was tried %d times: %v", tries, err)
	}

	start := c.Now()
	err = retry(t.Context(), c, time.Minute, "the API", func(context.Context) error { return status(503) })
	if d := c.Since(start); d > time.Minute || d < 50*time.Second {
		t.Errorf("gave up after %s", d)
	}
	if statusErr := errors.Unwrap(err); statusErr == nil || !Transient(err) {
		t.Errorf("the cause is lost: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	tries = 0
	_ = retry(ctx, c, time.Minute, "the API", func(context.Context) error {
		if tries++; tries == 2 {
			cancel()
		}
		return status(503)
	})
	if tries != 2 {
		t.Errorf("%d tries although cancelled at the second", tries)
	}
}

// Credentials that have expired are told from rights that are missing, by whatever
// reads or writes: what helps against one is none against the other.
func TestExpiredCredentialsAreNoMissingRight(t *testing.T) {
	for name, class := range map[string]func(error) error{
		"anything":    func(err error) error { return classify(fmt.Errorf("read: %w", err), "x") },
		"the journal": func(err error) error { return unreadJournal("ConfigMap x", err) },
	} {
		expired, _ := fault.As(class(status(401)))
		denied, _ := fault.As(class(status(403)))
		if expired.Class != fault.CouldNotLook || expired.Reason != fault.ReasonUnauthorized || expired.Fix == "" || expired.Object == "" {
			t.Errorf("%s: 401: %+v", name, expired)
		}
		if denied.Class != fault.CouldNotLook || denied.Reason == fault.ReasonUnauthorized || denied.Fix == "" || denied.Fix == expired.Fix {
			t.Errorf("%s: 403: %+v", name, denied)
		}
	}
}
