// Package release installs, upgrades and removes the chart as a Helm release: what an
// installation finds in the cluster, whether it may be made over that, and Helm's
// records, which are written on the condition that nobody wrote them since they were
// read. Each operation can be cut off at any write and run again.
//
// It computes no values and judges no pods.
package release
