package node

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"sync"
	"time"
)

// probe asks every probe of the applied plan once and returns the probe-statuses. After a plan
// was applied, each probe first waits for its initial delay. Otherwise a component that is
// about to restart would still answer, and Rancher would give the next machine its plan.
// Source: rancher/system-agent:pkg/prober/prober.go (Probe, initial).
func (a *Agent) probe(ctx context.Context, s *session) []byte {
	var mu sync.Mutex
	var all sync.WaitGroup
	status := map[string]probeStatus{}
	initial := s.planner.fresh
	s.planner.fresh = false
	for name, p := range s.planner.probes {
		all.Go(func() {
			if initial && !wait(ctx, a.c.Clock, time.Duration(p.InitialDelaySeconds)*time.Second) {
				return
			}
			ok := a.planProbe(ctx, s, p) == nil
			mu.Lock()
			defer mu.Unlock()
			status[name] = s.planner.status[name].next(ok, p)
		})
	}
	all.Wait()
	if len(status) == 0 {
		return nil
	}
	s.planner.status = status
	raw, err := json.Marshal(status)
	if err != nil {
		panic(err) // booleans and numbers always encode
	}
	return raw
}

// planProbe sends the plan's request for 127.0.0.1 to the machine's own address. Components
// that are no process of the lab count as healthy.
func (a *Agent) planProbe(ctx context.Context, s *session, p planProbe) error {
	timeout := 5 * time.Second
	if p.TimeoutSeconds > 0 {
		timeout = time.Duration(p.TimeoutSeconds) * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	target, err := url.Parse(p.HTTPGet.URL)
	if err != nil {
		return err
	}
	if a.c.Real != nil {
		if target.Port() == "9099" { // calico, which is up while the kubelet is
			target.Host, target.Path = net.JoinHostPort(target.Hostname(), "10248"), "/healthz"
		}
		return httpCheckVia(a.c.Real.Dial, target.String(), nil, a.clientCertificate(p.HTTPGet))(ctx)
	}
	switch target.Port() {
	case "10248", "9099": // kubelet; calico, which is up while the kubelet is
		if k := s.rke2.get(); k == nil || !k.healthy.Load() {
			return errors.New("the kubelet does not answer")
		}
		return nil
	case "2381": // etcd is the lab's
		if pod := s.static.get(Etcd); pod == nil || !pod.task.snapshot().Running {
			return errors.New("etcd does not answer")
		}
		return nil
	}
	target.Host = net.JoinHostPort(a.c.IP, target.Port())
	return httpCheck(target.String(), nil, a.clientCertificate(p.HTTPGet))(ctx)
}

// clientCertificate returns the plan's certificate, or nil if the plan names none or it cannot
// be read: the response then shows the error.
func (a *Agent) clientCertificate(get planHTTPGet) *tls.Certificate {
	if get.ClientCert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(a.machinePath(get.ClientCert), a.machinePath(get.ClientKey))
	if err != nil {
		return nil
	}
	return &pair
}
