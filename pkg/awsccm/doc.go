// Package awsccm holds what both distributions share about the AWS cloud controller manager,
// regardless of how it is installed: the image for each cluster, its rights in AWS, the grant on
// the migration lease, the lease itself, and the cordon of control-plane Nodes. Package ccmchart
// holds its chart, package release its Helm release, and package rollout judges its pods.
//
// It knows nothing of Rancher, cluster files or steps, does not wait, and does not judge leases:
// pkg/verify does.
package awsccm
