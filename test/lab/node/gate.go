package node

import (
	"context"
	"sync"
)

// gate blocks callers while it is shut. The zero value is open.
type gate struct {
	mu     sync.Mutex
	opened chan struct{} // nil while it is open
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened == nil {
		g.opened = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened != nil {
		close(g.opened)
		g.opened = nil
	}
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened != nil
}

// pass waits until the gate is open. It returns false if ctx ended first.
func (g *gate) pass(ctx context.Context) bool {
	for {
		g.mu.Lock()
		opened := g.opened
		g.mu.Unlock()
		if opened == nil {
			return ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-opened:
		}
	}
}
