package ccmchart

import (
	"github.com/awsmigrate/awsmigrate/charts"
)

// MigrationFile returns the leader migration configuration that the chart mounts. It lists the
// controllers by the names of both families, each for component "*". A process ignores names
// that it does not know. One text therefore serves kube-controller-manager and cloud controller
// managers of every version from v1.24 on. It has only fields of v1, since components from v1.32 on
// refuse others (kubernetes/controller-manager:pkg/leadermigration/config/config.go@v0.32.9). nodeipam is omitted: the AWS controller manager has
// none, and pod networks of new nodes would have no owner after the hand-over.
func MigrationFile() string { return charts.LeaderMigrationConfiguration }
