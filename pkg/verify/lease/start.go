package lease

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	// StartTime limits the time from the acquisition of a lease until the controllers run.
	// Measured were 0.02 s in a cloud controller manager and 0.17 s in a kube-controller-manager,
	// with warm informers, on a machine with a load of 20 times its processors.
	StartTime = time.Second
	// SerialStartTime limits that time under the main lease of kube-controller-manager, which
	// starts its controllers one after another in random order. All controllers after nodeipam
	// wait with it for 10 s, because it waits before it lists Nodes
	// (kubernetes/kubernetes:pkg/controller/nodeipam/ipam/cidr_allocator.go@v1.26.13, line 148).
	// The longest measured time is 12.5 s, on a machine with a load of ten times its processors.
	SerialStartTime = 15 * time.Second
)

// StartTimeUnder returns the limit for the cloud controllers of a process that holds the named
// lease.
func StartTimeUnder(name string) time.Duration {
	if name == wellknown.KCMLease {
		return SerialStartTime
	}
	return StartTime
}
