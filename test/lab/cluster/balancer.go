package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Balancer spreads TCP connections over the ready backends, in turn. It represents the load
// balancer before a highly available control plane: it notices the end of an API server only
// when a check or a connection fails, and cuts no open connection. It does not listen while no
// backend is ready.
type Balancer struct {
	Address string // host:port to listen on
	// Check reports whether the API server at the address is ready.
	Check func(ctx context.Context, address string) bool
	// Backends returns the addresses, host:port. It is called before each check.
	Backends func() []string
	// Listen opens the listener; net.Listen if nil.
	Listen func(address string) (net.Listener, error)
	// Interval is the time between checks.
	Interval time.Duration

	next     atomic.Uint64
	mu       sync.Mutex
	ready    []string
	listener net.Listener
}

const dialTimeout = 2 * time.Second

// Run balances connections until ctx ends.
func (b *Balancer) Run(ctx context.Context) error {
	tick := time.NewTicker(b.Interval)
	defer tick.Stop()
	defer b.close()
	for {
		b.check(ctx)
		if err := b.listenIfReady(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Ready returns the backends that passed the last check.
func (b *Balancer) Ready() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.ready...)
}

func (b *Balancer) listenIfReady(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		b.stopListening()
		return nil
	}
	if b.listener != nil {
		return nil
	}
	listen := b.Listen
	if listen == nil {
		listen = func(address string) (net.Listener, error) { return net.Listen("tcp", address) }
	}
	l, err := listen(b.Address)
	if err != nil {
		return fmt.Errorf("balancing the API servers: %w", err)
	}
	b.listener = l
	go b.accept(ctx, l)
	return nil
}

func (b *Balancer) accept(ctx context.Context, l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return // closed
		}
		go b.forward(ctx, conn)
	}
}

func (b *Balancer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopListening()
}

func (b *Balancer) stopListening() {
	if b.listener != nil {
		b.listener.Close()
		b.listener = nil
	}
}

func (b *Balancer) check(ctx context.Context) {
	backends := b.Backends()
	ok := make([]bool, len(backends))
	var checks sync.WaitGroup
	for i, address := range backends {
		checks.Go(func() { ok[i] = b.Check(ctx, address) })
	}
	checks.Wait()
	var ready []string
	for i, address := range backends {
		if ok[i] {
			ready = append(ready, address)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = ready
}

func (b *Balancer) forward(ctx context.Context, client net.Conn) {
	defer client.Close()
	backend, err := b.dial(ctx)
	if err != nil {
		return // the client sees a closed connection, as from a balancer without targets
	}
	defer backend.Close()
	stop := context.AfterFunc(ctx, func() { client.Close(); backend.Close() })
	defer stop()
	ends := make(chan struct{}, 2)
	pipe := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // either side may go at any moment
		ends <- struct{}{}
	}
	go pipe(backend, client)
	go pipe(client, backend)
	<-ends
}

// dial tries the next backend if one refuses, because the last check may be outdated.
func (b *Balancer) dial(ctx context.Context) (net.Conn, error) {
	ready := b.Ready()
	dialer := net.Dialer{Timeout: dialTimeout}
	err := io.EOF
	for range ready {
		address := ready[b.next.Add(1)%uint64(len(ready))]
		conn, dialErr := dialer.DialContext(ctx, "tcp", address)
		if dialErr == nil {
			return conn, nil
		}
		err = dialErr
	}
	return nil, err
}
