package rancher

import (
	"context"
	"fmt"
	"sync"
)

// The states of the connection through Rancher to the downstream cluster, besides the effect of
// the agent's pods.
const (
	ProxyOpen = "open"
	ProxyCut  = "cut"    // the agent's tunnel is broken: every request gets 503
	ProxyHang = "silent" // requests are accepted and not answered
)

// agentLink is the tunnel from a downstream cluster's agent to Rancher. Connections through it
// end when it breaks.
type agentLink struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
	cut    bool          // regardless of the agent
	silent chan struct{} // closed when it answers again, or nil while it answers
}

func (l *agentLink) up() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cancel != nil
}

// set makes or breaks the tunnel, and returns whether it exists. parent ends with the stand-in.
// A tunnel that is cut stays broken.
func (l *agentLink) set(parent context.Context, up bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	up = up && !l.cut
	switch {
	case up && l.cancel == nil:
		l.ctx, l.cancel = context.WithCancel(parent)
	case !up && l.cancel != nil:
		l.cancel()
		l.ctx, l.cancel = nil, nil
	}
	return up
}

// pretend sets the state of the connection. The agent's pods count again once it is open.
func (l *agentLink) pretend(state string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case ProxyOpen, ProxyCut, ProxyHang:
	default:
		return fmt.Errorf("the proxy can be %s, %s or %s, not %q", ProxyOpen, ProxyCut, ProxyHang, state)
	}
	l.cut = state == ProxyCut
	if l.cut && l.cancel != nil {
		l.cancel()
		l.ctx, l.cancel = nil, nil
	}
	switch {
	case state == ProxyHang && l.silent == nil:
		l.silent = make(chan struct{})
	case state != ProxyHang && l.silent != nil:
		close(l.silent)
		l.silent = nil
	}
	return nil
}

// waitForAnswer waits while the connection is silent. It returns false if the request ended
// before.
func (l *agentLink) waitForAnswer(request context.Context) bool {
	l.mu.Lock()
	silent := l.silent
	l.mu.Unlock()
	if silent == nil {
		return true
	}
	select {
	case <-silent:
		return true
	case <-request.Done():
		return false
	}
}

// through returns a context that ends with the request or with the tunnel; ok is false without
// a tunnel.
func (l *agentLink) through(request context.Context) (ctx context.Context, done context.CancelFunc, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel == nil {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancel(request)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() { stop(); cancel() }, true
}

// Proxy sets the connection to the downstream cluster to ProxyOpen, ProxyCut or ProxyHang.
func (r *Rancher) Proxy(state string) error { return r.agent.pretend(state) }
