// Package kube holds what every client of a Kubernetes API here shares: the transport
// that refuses to write, and JSON patches that test what they were computed from. It
// knows nothing of migrations, checks or the engine.
package kube
