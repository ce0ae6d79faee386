// Package release installs, upgrades and removes the chart as a Helm release. It judges what
// exists in the cluster and whether the release may replace it. It writes Helm's records only
// if they have not changed since they were read. Each operation can be interrupted at any write
// and run again.
//
// It computes no values and judges no pods.
package release
