package controller

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// pool has the goroutines of all jobs. Audits wait for their turn; runs are begun only
// where a slot is free, and looks and guards always.
type pool struct {
	turns chan struct{} // has a value for each audit under way
	limit int           // of runs

	mu      sync.Mutex
	jobs    map[*job]Key
	closing bool
	all     sync.WaitGroup
}

func newPool(runs, audits int) *pool {
	return &pool{limit: runs, turns: make(chan struct{}, audits), jobs: map[*job]Key{}}
}

// full says whether as many runs as may be are under way.
func (p *pool) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	runs := 0
	for j := range p.jobs {
		if j.kind == running {
			runs++
		}
	}
	return runs >= p.limit
}

// begin does work in a goroutine of its own, whose panic becomes an error of done. false:
// the process is about to end, and nothing begins.
func (p *pool) begin(ctx context.Context, key Key, j *job, work func(context.Context) error, done func(error)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return false
	}
	p.jobs[j] = key
	p.all.Go(func() {
		err := recovered(ctx, work)
		p.mu.Lock()
		delete(p.jobs, j)
		p.mu.Unlock()
		done(err)
	})
	return true
}

// inTurn does what only so many may do at once, such as an audit.
func (p *pool) inTurn(ctx context.Context, what func()) error {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	what()
	return nil
}

// recovered makes an error of a panic: one cluster takes no other down.
func recovered(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = &fault.Error{Reason: "Panic", Object: "this run", Seen: fmt.Sprint(what), Err: stack(debug.Stack())}
		}
	}()
	return work(ctx)
}

// stack is where a panic came from, for the log.
type stack []byte

// Error implements error.
func (s stack) Error() string { return string(s) }

// stop asks every job to stop cleanly, begins no other, and waits for them until ctx ends.
func (p *pool) stop(ctx context.Context) {
	p.mu.Lock()
	p.closing = true
	for j := range p.jobs {
		j.interrupt()
	}
	p.mu.Unlock()
	over := make(chan struct{})
	go func() { p.all.Wait(); close(over) }()
	select {
	case <-over:
	case <-ctx.Done():
	}
}
