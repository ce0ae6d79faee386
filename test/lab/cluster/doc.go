// Package cluster boots the lab: one supervisor process that holds the AWS,
// Rancher and machine stand-ins and starts the real etcd, API servers,
// controller managers and schedulers around them.
//
// It goes the real way: it creates a provisioning.cattle.io Cluster on the
// management API server, Rancher's stand-in makes Machines and plans of it, and
// the machines start what their plans say. What this package decides is only
// what a cluster's surroundings decide: addresses, certificates, instances, host
// names, the balancer before the API servers.
//
// A cluster of rke's has no management cluster: the machines are made, cluster.yml
// is written, and rke's stand-in brings the cluster up from nothing.
//
// It leaves out: DNS, pod networks, kube-proxy (a Service has no packets), a
// second downstream cluster. It knows nothing of awsmigrate and shares no code
// with it.
package cluster
