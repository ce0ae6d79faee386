// Package bench measures the audit side by side with the commands that it replaces, in one run on
// one machine (docs/benchmarks.md). It is not part of `make test`. Its benchmarks fail if a bound
// is broken.
//
// Real: kube-apiserver and etcd 1.26, kubectl 1.26. Replaced by package standin: EC2, and the API
// server for 50,000 nodes. Missing: kubelets, pods, the network between a user and a cluster.
package bench
