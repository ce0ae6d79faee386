package controller

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// pool holds the goroutines of all jobs and audits. Audits wait for their turn. Runs begin only if
// a slot is free; looks and guards always begin.
type pool struct {
	turns chan struct{} // has a value for each running audit
	limit int           // of runs

	mu      sync.Mutex
	jobs    map[*job]Key
	closing bool
	all     sync.WaitGroup
}

func newPool(runs, audits int) *pool {
	return &pool{limit: runs, turns: make(chan struct{}, audits), jobs: map[*job]Key{}}
}

// full reports whether the limit of concurrent runs is reached.
func (p *pool) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	runs := 0
	for j := range p.jobs {
		if j.kind == kindRun {
			runs++
		}
	}
	return runs >= p.limit
}

// begin calls work in a goroutine and passes its error to done. A panic becomes an error. It
// returns false, and starts nothing, if the process is about to end.
func (p *pool) begin(ctx context.Context, key Key, j *job, work func(context.Context) error, done func(error)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return false
	}
	p.jobs[j] = key
	p.all.Go(func() {
		err := recoverPanic(ctx, work)
		p.mu.Lock()
		delete(p.jobs, j)
		p.mu.Unlock()
		done(err)
	})
	return true
}

// inTurn calls what when a turn is free; it limits concurrent audits.
func (p *pool) inTurn(ctx context.Context, what func() error) error {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return what()
}

// recoverPanic turns a panic into an error, so that one cluster does not stop the others.
func recoverPanic(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = &fault.Error{Reason: "Panic", Object: "this run", Seen: fmt.Sprint(what), Err: stack(debug.Stack())}
		}
	}()
	return work(ctx)
}

// stack is the stack trace of a panic, for the log.
type stack []byte

// Error implements error.
func (s stack) Error() string { return string(s) }

// stop asks every job to stop cleanly, starts no other, and waits for them until ctx ends.
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
