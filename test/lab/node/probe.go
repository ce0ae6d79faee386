package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/utils/clock"
)

// probe is one probe of a kubelet.
type probe struct {
	check                     func(ctx context.Context) error
	delay, period, timeout    time.Duration
	failureLimit, successGoal int
}

// probes holds the probes of a container; nil ones always pass.
type probes struct {
	startup, readiness, liveness *probe
}

// afterRestart is the delay of the first probe of a kubelet that found the container running. A real
// one takes a random time of at most a period, and static pods were not ready for 0.4 to 9 s
// (pkg/kubelet/prober/worker.go@v1.26.13).
const afterRestart = 2 * time.Second

// again returns the probes of a kubelet that found the container running.
func (p probes) again() probes {
	for _, first := range []**probe{&p.startup, &p.readiness} {
		if *first != nil {
			later := **first
			later.delay = afterRestart
			*first = &later
			break
		}
	}
	return p
}

// run reports readiness, and calls dead once if startup or liveness fails for good.
func (p probes) run(ctx context.Context, c clock.WithTicker, ready func(bool), dead func()) {
	if p.startup != nil {
		if ok := p.startup.until(ctx, c, true); !ok {
			if ctx.Err() == nil {
				dead()
			}
			return
		}
	}
	if p.liveness != nil {
		go func() {
			if p.liveness.until(ctx, c, false); ctx.Err() == nil {
				dead()
			}
		}()
	}
	if p.readiness == nil {
		ready(true)
		return
	}
	p.readiness.follow(ctx, c, ready)
}

// until probes until the first success (if wanted is true) or until failureLimit failures in a
// row. It reports whether it ended with a success.
func (p *probe) until(ctx context.Context, c clock.WithTicker, wanted bool) bool {
	failures := 0
	for ok := wait(ctx, c, p.delay); ok; ok = wait(ctx, c, p.period) {
		err := p.once(ctx)
		switch {
		case err == nil && wanted:
			return true
		case err == nil:
			failures = 0
		default:
			if failures++; failures >= p.failureLimit {
				return false
			}
		}
	}
	return false
}

func (p *probe) follow(ctx context.Context, c clock.WithTicker, ready func(bool)) {
	failures, successes, now := 0, 0, false
	for ok := wait(ctx, c, p.delay); ok; ok = wait(ctx, c, p.period) {
		if p.once(ctx) == nil {
			failures = 0
			if successes++; successes >= p.successGoal && !now {
				now = true
				ready(true)
			}
			continue
		}
		successes = 0
		if failures++; failures >= p.failureLimit && now {
			now = false
			ready(false)
		}
	}
}

func (p *probe) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.check(ctx)
}

// wait returns false if ctx ended first.
func wait(ctx context.Context, c clock.WithTicker, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := c.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C():
		return true
	}
}

// httpCheck passes for status 200 to 399, like the kubelet: it verifies no certificate and
// reuses no connection.
func httpCheck(url string, headers http.Header, cert *tls.Certificate) func(context.Context) error {
	return httpCheckVia(nil, url, headers, cert)
}

// dialer connects to an address.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// httpCheckVia is httpCheck by another way to the address.
func httpCheckVia(dial dialer, url string, headers http.Header, cert *tls.Certificate) func(context.Context) error {
	config := &tls.Config{InsecureSkipVerify: true}
	if cert != nil {
		config.Certificates = []tls.Certificate{*cert}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true, Proxy: nil, DialContext: dial}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		for name, values := range headers {
			req.Header[name] = values
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode < 200 || resp.StatusCode >= 400 {
			return fmt.Errorf("GET %s: status %d", url, resp.StatusCode)
		}
		return nil
	}
}
