//go:build tools

// Package rkereal pins the real rke v1.5.9, against which the slow suite holds
// what pkg/rke takes rke to do. The go.mod repeats rke's own replace directives,
// which do not carry over; the metadata of Kubernetes versions is in the module
// (data/bindata.go), so nothing is asked over the network.
package rkereal

import _ "github.com/rancher/rke"
