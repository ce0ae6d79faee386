package realkubelet

import (
	"context"
	"time"
)

// maxOutlive is the time for which an old process may outlive the start of its replacement, by the
// rule of pkg/rke2 (kubelet.go).
const maxOutlive = 30 * time.Second

// Alone waits until a run on RKE2 would conclude that no earlier process runs next to a container
// with the given start. Call it once the new pod is Ready: it reads the Node's lease from then on.
// It requires two renewals after the first one that it reads, the second at least 30 s after the
// start. This repeats the rule of docs/steps/enable-leader-migration.md, because the product's own
// code needs a Rancher. A run polls less often, so it concludes later.
func (m *Machine) Alone(ctx context.Context, started time.Time) (at time.Time, err error) {
	var last time.Time
	found, newer := false, 0
	err = Until(ctx, "the Node's lease to be renewed twice", func() (bool, error) {
		renewal, err := m.Renewal(ctx)
		if err != nil {
			return false, err
		}
		if found && renewal.After(last) {
			newer++
		}
		found, last, at = true, renewal, time.Now()
		return newer >= 2 && renewal.Sub(started) >= maxOutlive, nil
	})
	return at, err
}
