// Package bench measures the audit side by side with what it replaces, in one
// run on one machine: see docs/benchmarks.md. It is no part of `make test`; its
// benchmarks fail when a bound is not held.
//
// Real: kube-apiserver and etcd 1.26, kubectl 1.26. Stood in for: EC2, and for
// 50,000 nodes the API server too (package standin). Left out: kubelets, pods,
// the network between a user and a cluster.
package bench
