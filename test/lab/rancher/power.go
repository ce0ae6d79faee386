package rancher

import (
	"context"
	"sync"
)

// Stop ends Rancher as scaling its Deployment to zero does: its address refuses connections,
// the agents' tunnels break, and no controller or webhook answers. Its objects stay unchanged.
// Stop returns when everything has ended.
func (r *Rancher) Stop() { r.power.off() }

// Start runs it again, with its existing objects.
func (r *Rancher) Start() { r.power.on() }

// power controls whether Rancher runs. The zero value is on.
type power struct {
	mu      sync.Mutex
	stopped chan struct{} // not nil while it is off; closed when it must run again
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the run has ended, or nil without one
}

// run calls what while the power is on, and again after each power cycle.
func (p *power) run(ctx context.Context, what func(context.Context) error) error {
	for {
		if !p.wait(ctx) {
			return nil
		}
		running, ended := p.begin(ctx)
		err := what(running)
		close(ended)
		if err != nil {
			return err
		}
	}
}

// wait returns false if ctx ended.
func (p *power) wait(ctx context.Context) bool {
	p.mu.Lock()
	stopped := p.stopped
	p.mu.Unlock()
	if stopped != nil {
		select {
		case <-stopped:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

func (p *power) begin(ctx context.Context) (context.Context, chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	running, cancel := context.WithCancel(ctx)
	p.cancel, p.ended = cancel, make(chan struct{})
	if p.stopped != nil {
		cancel() // switched off since
	}
	return running, p.ended
}

func (p *power) off() {
	p.mu.Lock()
	if p.stopped == nil {
		p.stopped = make(chan struct{})
	}
	cancel, ended := p.cancel, p.ended
	p.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
}

func (p *power) on() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped != nil {
		close(p.stopped)
		p.stopped = nil
	}
}
