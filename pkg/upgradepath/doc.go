// Package upgradepath computes the way of a cluster to a later Kubernetes release, one minor
// version at a time: the release of each step, those to avoid, and what stops the cluster there.
//
// It judges nothing itself. The checks of an audit judge each release (verify.Bound.OnRelease).
package upgradepath
