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
// this is to be called then, and wants two renewals newer than the one it finds, the second 30 s
// after the start. The rule is written here anew, from docs/steps/enable-leader-migration.md: the
// program has none that can be asked without a Rancher. A run looks less often, and is later.
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
		return newer >= 2 && renewal.Sub(started) >= outlives, nil
	})
	return at, err
}
