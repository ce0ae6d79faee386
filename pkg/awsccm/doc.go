// Package awsccm is what both distributions share about the AWS cloud
// controller manager: which image suits which cluster, the chart's values and
// its installation with Helm, the grant on the migration lease, the cloud
// config, the rights it needs from AWS, the verdict over its DaemonSet, and the
// cordon of control-plane nodes.
//
// Writes to the downstream cluster live here; what decides about them is pure
// and takes what was read. It knows nothing of Rancher, of cluster files or of
// steps, does not wait, and does not judge leases: pkg/verify does.
package awsccm
