//go:build tools

// Package controlplane pins the programs of Kubernetes 1.26 that the lab runs. They are a
// separate module because the last release with the in-tree AWS provider cannot share one with
// a current client-go, and no other package in the repository may import them.
package controlplane

import _ "k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager" // v1.26.0; the lab runs it for every v1.26.x image
