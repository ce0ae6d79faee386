package target

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// byName looks for a cluster of Rancher's as one of RKE2, and where Rancher has provisioned
// none of that name, as one for which it runs rke. Where it is neither, the error is the
// first one's.
func byName[T any](asRKE2, asRKE func() (T, error)) (T, error) {
	first, err := asRKE2()
	// Rancher mirrors what it has by another kind of object, without a configuration.
	if !fault.HasReason(err, migration.ReasonClusterNotFound, migration.ReasonNotRancher, config.ReasonNotProvisioned) {
		return first, err
	}
	second, rkeErr := asRKE()
	if fault.HasReason(rkeErr, migration.ReasonClusterNotFound, migration.ReasonNotRancher, managed.ReasonNotRKE) {
		return first, err
	}
	return second, rkeErr
}
