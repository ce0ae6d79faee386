package target

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// byName looks up a cluster of Rancher as RKE2. If Rancher provisions none of that name, it looks
// for a cluster that Rancher runs rke for. If both fail, it returns the error that names what was probably
// meant, else the first.
func byName[T any](asRKE2, asRKE func() (T, error)) (T, error) {
	first, err := asRKE2()
	// Rancher mirrors every cluster as another kind of object, without a configuration.
	if !fault.HasReason(err, migration.ReasonClusterNotFound, migration.ReasonNotRancher, config.ReasonNotProvisioned) {
		return first, err
	}
	second, rkeErr := asRKE()
	if fault.HasReason(rkeErr, migration.ReasonClusterNotFound, migration.ReasonNotRancher, managed.ReasonNotRKE) {
		return first, fault.Nearer(err, rkeErr)
	}
	return second, rkeErr
}
