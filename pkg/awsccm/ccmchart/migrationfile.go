package ccmchart

import (
	"github.com/awsmigrate/awsmigrate/charts"
)

// MigrationFile is the leader migration configuration that the chart mounts: it
// names the controllers as both name families know them, each for component
// "*". A process ignores names that it does not know, so one text serves
// kube-controller-manager and cloud controller managers of every version from
// v1.24 on. nodeipam is left out: the AWS controller manager has none, and pod
// networks of new nodes would have no owner after the hand-over.
func MigrationFile() string { return charts.LeaderMigrationConfiguration }
