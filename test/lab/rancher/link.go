package rancher

import (
	"context"
	"sync"
)

// agentLink is the tunnel that a downstream cluster's agent keeps to Rancher.
// What runs through it ends when it breaks.
type agentLink struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelFunc
}

func (l *agentLink) up() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cancel != nil
}

// set makes or breaks the tunnel; parent ends with the stand-in.
func (l *agentLink) set(parent context.Context, up bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case up && l.cancel == nil:
		l.ctx, l.cancel = context.WithCancel(parent)
	case !up && l.cancel != nil:
		l.cancel()
		l.ctx, l.cancel = nil, nil
	}
}

// through gives a context that ends with the request or with the tunnel; ok is
// false without a tunnel.
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
