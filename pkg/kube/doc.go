// Package kube holds what every client of a Kubernetes API here shares: the transport
// that refuses to write. It knows nothing of migrations, checks or the engine.
package kube
