// Package awsccm is what both distributions share about the AWS cloud controller
// manager, whatever it is installed with: which image suits which cluster, the rights
// it needs from AWS, the grant on the migration lease, the lease itself, and the cordon
// of control-plane Nodes. Its chart is in ccmchart, the Helm release in release, the
// verdict over its pods in rollout.
//
// It knows nothing of Rancher, of cluster files or of steps, does not wait, and does
// not judge leases: pkg/verify does.
package awsccm
