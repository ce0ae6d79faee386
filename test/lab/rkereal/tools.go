//go:build tools

// Package rkereal pins the real rke v1.5.9, with which the slow suite compares the assumptions
// of pkg/rke. The go.mod repeats rke's own replace directives, which do not carry over. The
// metadata of Kubernetes versions is in the module (data/bindata.go), so nothing is requested
// over the network.
package rkereal

import _ "github.com/rancher/rke"
