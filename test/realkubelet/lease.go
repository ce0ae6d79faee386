package realkubelet

import (
	"context"
	"time"
)

// outlives is how long an old process may outlive the start of the one that replaces it, by
// the rule of pkg/rke2 (kubelet.go).
const outlives = 30 * time.Second

// Alone waits until a run on RKE2 would say that no process of before can run beside a container
// that started then. It looks at the Node's lease when the new pod is Ready and not before, so
// this is to be called then, and wants two renewals since the start, the second 30 s after it.
// The rule is written here anew, from docs/steps/hand-over.md: the program has none that can be
// asked without a Rancher. A run looks less often, and is later.
func (m *Machine) Alone(ctx context.Context, started time.Time) (at time.Time, err error) {
	var first time.Time
	err = Until(ctx, "the Node's lease to be renewed twice", func() (bool, error) {
		renewal, err := m.Renewal(ctx)
		switch {
		case err != nil || !renewal.After(started):
			return false, err
		case first.IsZero():
			first = renewal
		}
		at = time.Now()
		return renewal.After(first) && renewal.Sub(started) >= outlives, nil
	})
	return at, err
}
