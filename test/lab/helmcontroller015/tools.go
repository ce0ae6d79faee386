//go:build tools

// Package helmcontroller015 pins the helm-controller v0.15.9 of RKE2 1.26, for the lab's real machines.
// It is separate because it needs an older client-go.
package helmcontroller015

import _ "github.com/k3s-io/helm-controller"
