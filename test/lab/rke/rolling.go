package rke

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// notReadyFirst works on the hosts whose Node is not Ready or missing, on all at once and
// without a limit. Its errors are only logged.
func (r *run) notReadyFirst(ctx context.Context, hosts []*Host, role string, deploy func([]*Host) error) {
	var notReady []*Host
	var names []string
	for _, h := range hosts {
		if err := r.nodeReady(ctx, h, role); err != nil {
			r.Log.debugf("Found node %v in NotReady state", h.HostnameOverride)
			notReady, names = append(notReady, h), append(names, h.HostnameOverride)
		}
	}
	if len(notReady) == 0 {
		return
	}
	r.Log.infof("Attempting upgrade of %s components on following hosts in NotReady status: %v", role, strings.Join(names, ","))
	if err := deploy(notReady); err != nil {
		r.Log.errorf("Failed to upgrade %s components on NotReady hosts, error: %v", role, err)
	}
	for _, h := range notReady {
		if err := r.nodeReady(ctx, h, role); err != nil {
			r.Log.errorf("Host %v failed to report Ready status with error: %v", h.HostnameOverride, err)
		}
	}
}

// rolling upgrades hosts, limit of them at a time. A failed host counts towards the limit: when
// the limit is reached, no further host is begun.
func (r *run) rolling(ctx context.Context, hosts []*Host, limit int, role string, upgrade func(*Host) error) (failed []string, err error) {
	var mu sync.Mutex
	var errs []error
	fail := func(name string, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed, errs = append(failed, name), append(errs, err)
	}
	full := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(failed) >= limit
	}
	each(hosts, limit, func(h *Host) bool {
		if full() {
			return false
		}
		if err := ctx.Err(); err != nil {
			fail(h.HostnameOverride, err)
			return false
		}
		if role == "controlplane" {
			r.Log.infof("Processing controlplane host %v", h.HostnameOverride)
		} else {
			r.Log.infof("[workerplane] Processing host %v", h.HostnameOverride)
		}
		if err := r.nodeReady(ctx, h, role); err != nil {
			fail(h.HostnameOverride, err)
			return false
		}
		for _, name := range r.notReadyAmong(ctx, hosts, role) {
			if full() {
				return false
			}
			fail(name, fmt.Errorf("host %v not ready", name))
		}
		if full() {
			return false
		}
		if err := upgrade(h); err != nil {
			fail(h.HostnameOverride, err)
			return false
		}
		return true
	})
	return failed, errors.Join(errs...)
}
