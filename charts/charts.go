// Package charts carries the project's Helm charts inside the binary, so that
// an installation needs no chart repository.
//
// It holds files only: rendering and installing are below pkg/awsccm.
package charts

import "embed"

// FS holds one folder per chart. The all: prefix keeps _helpers.tpl, which the
// directive would leave out for its underscore.
//
//go:embed all:aws-cloud-controller-manager
var FS embed.FS

// AWSCloudControllerManager is the folder in FS of the chart of that name.
const AWSCloudControllerManager = "aws-cloud-controller-manager"

// LeaderMigrationConfiguration is the leader migration file of that chart.
//
//go:embed aws-cloud-controller-manager/files/leader-migration.yaml
var LeaderMigrationConfiguration string
