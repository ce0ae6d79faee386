// Package ccmchart is the chart of the AWS cloud controller manager: ours and those
// that upstream publishes, the values for a cluster and what of a user's values would
// break the migration, and the objects that come of them.
//
// It takes no client of a cluster: everything is a function of the chart, the inputs
// and what was read of the Nodes. What Helm makes of it in a cluster is release's.
package ccmchart
