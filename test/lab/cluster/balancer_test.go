package cluster

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// backend starts a server that answers every line with its name.
func backend(t *testing.T, name string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				lines := bufio.NewReader(conn)
				for {
					if _, err := lines.ReadString('\n'); err != nil {
						return
					}
					if _, err := io.WriteString(conn, name+"\n"); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

func ask(address string) (string, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "who\n"); err != nil {
		return "", err
	}
	return bufio.NewReader(conn).ReadString('\n')
}

func TestBalancer(t *testing.T) {
	a, b := backend(t, "a"), backend(t, "b")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()

	var mu sync.Mutex
	ready := map[string]bool{}
	set := func(address string, ok bool) { mu.Lock(); ready[address] = ok; mu.Unlock() }
	balancer := &Balancer{
		Address: address, Interval: 10 * time.Millisecond,
		Backends: func() []string { return []string{a, b} },
		Check: func(_ context.Context, address string) bool {
			mu.Lock()
			defer mu.Unlock()
			return ready[address]
		},
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- balancer.Run(ctx) }()
	until := func(n int) {
		t.Helper()
		waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		err := poll(waiting, time.Millisecond, "ready backends", func(context.Context) (bool, string, error) {
			conn, err := net.Dial("tcp", address)
			if err == nil {
				conn.Close()
			}
			return len(balancer.Ready()) == n && (err == nil) == (n > 0), "", err
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	until(0)
	if _, err := ask(address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("without backends: %v, wanted connection refused", err)
	}
	set(a, true)
	set(b, true)
	until(2)
	seen := map[string]int{}
	for range 10 {
		answer, err := ask(address)
		if err != nil {
			t.Fatal(err)
		}
		seen[answer]++
	}
	// A connection of until may still take a turn in between.
	if seen["a\n"] < 4 || seen["b\n"] < 4 {
		t.Errorf("ten connections went to %v, wanted five each", seen)
	}
	set(a, false)
	until(1)
	for range 4 {
		if answer, err := ask(address); err != nil || answer != "b\n" {
			t.Errorf("with one backend ready: %q, %v", answer, err)
		}
	}
	set(b, false)
	until(0)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
