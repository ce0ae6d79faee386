package viarancher

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Rancher deletes a Secret some moments before it creates the next one. The old token is
// already refused in between.
const (
	// refreshTimeout bounds the wait for a new Secret. For the same time after a wait without
	// success, the Secret is not read again.
	refreshTimeout  = 10 * time.Second
	refreshInterval = time.Second
)

// access is one version of the address and credentials in the Secret.
type access struct {
	config *rest.Config
	number int // counts the versions before it
	// transport is set if the address needs another CA than the first version, or is nil to use
	// the client's own.
	transport http.RoundTripper
}

// refresher holds the current access to one cluster for all clients of a configuration.
type refresher struct {
	stored StoredKubeconfig
	first  string // the token that the client itself sends

	mu       sync.Mutex
	current  access
	reading  chan struct{} // closed when the current read of the Secret ends, or nil
	lastRead time.Time     // end of the last read that found no change
}

func (r *refresher) wrap(next http.RoundTripper) http.RoundTripper { return refreshTransport{r, next} }

// refreshTransport sends a request with the current access. If that is refused and the Secret
// has changed, it sends the request once more.
type refreshTransport struct {
	refresher *refresher
	next      http.RoundTripper
}

// WrappedRoundTripper returns the wrapped transport for client-go.
func (t refreshTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip implements http.RoundTripper.
func (t refreshTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	used := t.refresher.load()
	resp, err := t.send(req, used, req.Body)
	if !refused(resp, err) || !repeatable(req) || !t.usesSecret(req) {
		return resp, err
	}
	newer, found := t.refresher.next(req.Context(), used)
	if !found {
		return resp, err
	}
	body, bodyErr := copyBody(req)
	if bodyErr != nil {
		return resp, err
	}
	if resp != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // allows the connection to be reused
		_ = resp.Body.Close()
	}
	return t.send(req, newer, body)
}

// refused reports whether the credentials were rejected, or the server's certificate does not
// match the Secret. In both cases the server has not acted on the request.
func refused(resp *http.Response, err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || err == nil && resp.StatusCode == http.StatusUnauthorized
}

// usesSecret reports whether a request uses the credentials of the Secret.
func (t refreshTransport) usesSecret(req *http.Request) bool {
	auth := req.Header.Get("Authorization")
	return auth == "" || auth == "Bearer "+t.refresher.first
}

func repeatable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

func copyBody(req *http.Request) (io.ReadCloser, error) {
	if req.GetBody == nil {
		return req.Body, nil
	}
	return req.GetBody()
}

// send sends a copy of the request with one version of the access. A request with credentials
// other than the Secret's keeps them.
func (t refreshTransport) send(req *http.Request, by access, body io.ReadCloser) (*http.Response, error) {
	if by.number == 0 {
		return t.next.RoundTrip(req)
	}
	out := req.Clone(req.Context())
	out.Body = body
	if t.usesSecret(req) {
		out.Header.Del("Authorization")
		if by.config.BearerToken != "" {
			out.Header.Set("Authorization", "Bearer "+by.config.BearerToken)
		}
	}
	if err := redirect(out, t.refresher.stored.ID, by.config.Host); err != nil {
		return nil, err
	}
	if by.transport != nil {
		return by.transport.RoundTrip(out)
	}
	return t.next.RoundTrip(out)
}

// redirect replaces the server and prefix of a request and keeps its path in the cluster.
func redirect(req *http.Request, id, host string) error {
	to, err := url.Parse(host)
	if err != nil {
		return err
	}
	_, asked, found := strings.Cut(req.URL.Path, clustersPath+id)
	if !found {
		return nil
	}
	_, rawAsked, _ := strings.Cut(req.URL.RawPath, clustersPath+id)
	at := *req.URL
	at.Scheme, at.Host = to.Scheme, to.Host
	at.Path = strings.TrimSuffix(to.Path, "/") + asked
	if at.RawPath != "" {
		at.RawPath = strings.TrimSuffix(to.EscapedPath(), "/") + rawAsked
	}
	req.URL, req.Host = &at, ""
	return nil
}

func (r *refresher) load() access {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// next returns the access that replaces the refused one; ok is false if the Secret did not
// change. One request reads the Secret, and the others wait for its result.
func (r *refresher) next(ctx context.Context, old access) (next access, ok bool) {
	r.mu.Lock()
	switch {
	case r.current.number > old.number:
		defer r.mu.Unlock()
		return r.current, true
	case r.reading == nil && r.stored.Clock.Since(r.lastRead) < refreshTimeout:
		defer r.mu.Unlock()
		return old, false
	case r.reading == nil:
		r.reading = make(chan struct{})
		go r.refresh(context.WithoutCancel(ctx), old)
	}
	reading := r.reading
	r.mu.Unlock()
	select {
	case <-reading:
	case <-ctx.Done():
	}
	now := r.load()
	return now, now.number > old.number
}

// refresh reads the Secret until it changes, for refreshTimeout at most. It does not end with
// the request that started it, because others wait for it too.
func (r *refresher) refresh(ctx context.Context, old access) {
	newer, found := r.read(ctx, old)
	r.mu.Lock()
	defer r.mu.Unlock()
	if found {
		r.current = newer
	} else {
		r.lastRead = r.stored.Clock.Now()
	}
	close(r.reading)
	r.reading = nil
}

func (r *refresher) read(ctx context.Context, old access) (next access, ok bool) {
	for began := r.stored.Clock.Now(); ; {
		config, err := r.stored.read(ctx)
		switch {
		case err == nil && !reflect.DeepEqual(config, old.config):
			return newAccess(old, config)
		case fault.HasReason(err, fault.ReasonForbidden, fault.ReasonUnauthorized, ReasonRefused):
			return old, false
		}
		if r.stored.Clock.Since(began) >= refreshTimeout || retry.Pause(ctx, r.stored.Clock, refreshInterval) != nil {
			return old, false
		}
	}
}

// newAccess returns the version that follows old; ok is false if its CA cannot be used.
func newAccess(old access, config *rest.Config) (next access, ok bool) {
	newer := access{config: config, number: old.number + 1, transport: old.transport}
	if reflect.DeepEqual(config.TLSClientConfig, old.config.TLSClientConfig) {
		return newer, true
	}
	var err error
	newer.transport, err = rest.TransportFor(&rest.Config{TLSClientConfig: config.TLSClientConfig})
	return newer, err == nil
}
