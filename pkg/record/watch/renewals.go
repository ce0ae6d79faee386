package watch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

const (
	// nodeLeases is the namespace of the leases that kubelets renew.
	nodeLeases = "kube-node-lease"
	// renewalsEvery is how often the leases of Nodes are read: a kubelet renews each 10 s.
	renewalsEvery = 2 * time.Second
	// mostRenewals bounds how many are read at a time, where controller managers run on more
	// Nodes than a control plane has: each is read less often then.
	mostRenewals = 10
)

// reading is what was last read of a Node's lease: it had no later renewal when that was sent.
type reading struct{ renew, sent time.Time }

// renewals reads the leases of the Nodes that a controller manager runs on, again and again.
func (s *session) renewals(ctx context.Context) {
	ticker := s.recorder.Clock.NewTicker(renewalsEvery)
	defer ticker.Stop()
	known, next, said, forbidden := map[string]reading{}, 0, false, &refusals{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		nodes := s.hosting()
		for range min(len(nodes), mostRenewals) {
			if !forbidden.over(s.now()) {
				break
			}
			next++
			err := s.renewal(ctx, nodes[next%len(nodes)], known)
			if forbidden.heard(err, s.now(), renewalsEvery); refused(err) {
				s.told("leases of Nodes")
			}
			if err != nil && ctx.Err() == nil && !said && s.recorder.Say != nil {
				s.recorder.Say(fmt.Sprintf("leases of Nodes are not seen: %s; what a process runs and when it ended may stay open", short(err)))
				said = true
			}
		}
	}
}

// renewal records a renewal that is new. A Node without a lease has none.
func (s *session) renewal(ctx context.Context, node string, known map[string]reading) error {
	ctx, cancel := context.WithTimeout(ctx, min(s.recorder.Timeout, 5*time.Second))
	defer cancel()
	now, before := reading{sent: s.now()}, known[node]
	l, err := s.kube.CoordinationV1().Leases(nodeLeases).Get(ctx, node, metav1.GetOptions{})
	switch {
	case absent(err):
		return nil
	case err != nil:
		return err
	case l.Spec.RenewTime != nil:
		now.renew = l.Spec.RenewTime.UTC()
	}
	known[node] = now
	if !now.renew.Equal(before.renew) {
		s.put(record.Entry{Renewal: &record.Renewal{Node: node, Renew: now.renew, Since: before.sent}})
	}
	return nil
}

// places notes on which Node a pod is. It is called with the lock held.
func (s *session) places(p *record.Pod) {
	if p.Gone {
		delete(s.nodes, p.UID)
		return
	}
	if p.Node != "" {
		s.nodes[p.UID] = p.Node
	}
}

// hosting are the Nodes that a controller manager runs on.
func (s *session) hosting() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Sorted(maps.Values(s.nodes)))
}
