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

// Between Rancher's deleting a Secret and its making another lie moments, in which the
// old token is refused already.
const (
	// patience bounds how long another Secret is waited for, and how long after that
	// the same one is not read again.
	patience  = 10 * time.Second
	betweenIt = time.Second
)

// way is what a Secret has said.
type way struct {
	config *rest.Config
	number int // how many there were before
	// transport leads there where the address's certificate is another one than at
	// first; nil: the one that the client has.
	transport http.RoundTripper
}

// renewal is the way to one cluster, which all clients of a configuration share.
type renewal struct {
	kept  Kept
	first string // the token that the client itself sends

	mu       sync.Mutex
	now      way
	looking  chan struct{} // closed when the look under way is over; nil: none is
	lastLook time.Time     // when one ended that found nothing new
}

func (r *renewal) wrap(next http.RoundTripper) http.RoundTripper { return renewing{r, next} }

// renewing sends a request the way that is known, and once more where that was refused
// and there is another by now.
type renewing struct {
	way  *renewal
	next http.RoundTripper
}

// WrappedRoundTripper lets client-go find the transport beneath.
func (t renewing) WrappedRoundTripper() http.RoundTripper { return t.next }

// RoundTrip implements http.RoundTripper.
func (t renewing) RoundTrip(req *http.Request) (*http.Response, error) {
	used := t.way.current()
	resp, err := t.send(req, used, req.Body)
	if !refused(resp, err) || !repeatable(req) || !t.ours(req) {
		return resp, err
	}
	newer, found := t.way.after(req.Context(), used)
	if !found {
		return resp, err
	}
	body, bodyErr := again(req)
	if bodyErr != nil {
		return resp, err
	}
	if resp != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
		_ = resp.Body.Close()
	}
	return t.send(req, newer, body)
}

// refused says whether the credentials were not accepted, or the server has another
// certificate than the Secret said: in both cases it has done nothing.
func refused(resp *http.Response, err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || err == nil && resp.StatusCode == http.StatusUnauthorized
}

// ours says whether a request goes with the credentials of the Secret.
func (t renewing) ours(req *http.Request) bool {
	auth := req.Header.Get("Authorization")
	return auth == "" || auth == "Bearer "+t.way.first
}

func repeatable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

func again(req *http.Request) (io.ReadCloser, error) {
	if req.GetBody == nil {
		return req.Body, nil
	}
	return req.GetBody()
}

// send sends a copy of the request one way. Who asks with other credentials than those
// of the Secret goes on doing so.
func (t renewing) send(req *http.Request, by way, body io.ReadCloser) (*http.Response, error) {
	if by.number == 0 {
		return t.next.RoundTrip(req)
	}
	out := req.Clone(req.Context())
	out.Body = body
	if t.ours(req) {
		out.Header.Del("Authorization")
		if by.config.BearerToken != "" {
			out.Header.Set("Authorization", "Bearer "+by.config.BearerToken)
		}
	}
	if err := redirect(out, t.way.kept.ID, by.config.Host); err != nil {
		return nil, err
	}
	if by.transport != nil {
		return by.transport.RoundTrip(out)
	}
	return t.next.RoundTrip(out)
}

// redirect changes a request's way to the cluster and leaves what it asks for.
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

func (r *renewal) current() way {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// after is the way that is known after the one that was refused; false: none is. One
// request looks, the others wait for what it finds.
func (r *renewal) after(ctx context.Context, old way) (way, bool) {
	r.mu.Lock()
	switch {
	case r.now.number > old.number:
		defer r.mu.Unlock()
		return r.now, true
	case r.looking == nil && r.kept.Clock.Since(r.lastLook) < patience:
		defer r.mu.Unlock()
		return old, false
	case r.looking == nil:
		r.looking = make(chan struct{})
		go r.look(context.WithoutCancel(ctx), old)
	}
	looking := r.looking
	r.mu.Unlock()
	select {
	case <-looking:
	case <-ctx.Done():
	}
	now := r.current()
	return now, now.number > old.number
}

// look reads the Secret until it says something else than before, or for as long as
// there is patience. It is no request's own: who asked first may leave first.
func (r *renewal) look(ctx context.Context, old way) {
	newer, found := r.find(ctx, old)
	r.mu.Lock()
	defer r.mu.Unlock()
	if found {
		r.now = newer
	} else {
		r.lastLook = r.kept.Clock.Now()
	}
	close(r.looking)
	r.looking = nil
}

func (r *renewal) find(ctx context.Context, old way) (way, bool) {
	for began := r.kept.Clock.Now(); ; {
		config, err := r.kept.read(ctx)
		switch {
		case err == nil && !reflect.DeepEqual(config, old.config):
			return follow(old, config)
		case fault.HasReason(err, fault.ReasonForbidden, fault.ReasonUnauthorized, ReasonRefused):
			return old, false
		}
		if r.kept.Clock.Since(began) >= patience || retry.Pause(ctx, r.kept.Clock, betweenIt) != nil {
			return old, false
		}
	}
}

// follow is the way by another Secret.
func follow(old way, config *rest.Config) (way, bool) {
	newer := way{config: config, number: old.number + 1, transport: old.transport}
	if reflect.DeepEqual(config.TLSClientConfig, old.config.TLSClientConfig) {
		return newer, true
	}
	var err error
	newer.transport, err = rest.TransportFor(&rest.Config{TLSClientConfig: config.TLSClientConfig})
	return newer, err == nil
}
