package rancher

import "context"

// Adopt adds a cluster of another stand-in to the proxy. Its agent counts as connected until
// ctx ends.
func (r *Rancher) Adopt(ctx context.Context, id string) {
	r.mu.Lock()
	r.clusters[id] = false
	r.mu.Unlock()
	r.agent.set(ctx, true)
}
