// Package kube holds helpers for every client of a Kubernetes API: a transport that refuses
// writes, and JSON patches that test the values they were computed from. It knows nothing of
// migrations, checks or the engine.
package kube
