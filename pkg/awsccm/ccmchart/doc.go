// Package ccmchart handles the chart of the AWS cloud controller manager, ours and upstream's:
// the values for a cluster, problems in a user's values that would break the migration, and the
// rendered objects.
//
// It takes no client of a cluster: all results are functions of the chart, the inputs and the
// facts about the Nodes. Package release installs the chart with Helm.
package ccmchart
