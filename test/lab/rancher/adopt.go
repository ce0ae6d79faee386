package rancher

import "context"

// Adopt lets the proxy lead to a cluster that another stand-in manages. Its agent
// counts as connected until ctx ends.
func (r *Rancher) Adopt(ctx context.Context, id string) {
	r.mu.Lock()
	r.clusters[id] = false
	r.mu.Unlock()
	r.agent.set(ctx, true)
}
