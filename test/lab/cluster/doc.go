// Package cluster boots the lab: one supervisor process that runs the AWS, Rancher and machine
// stand-ins and starts the real etcd, API servers, controller managers and schedulers.
//
// A boot takes the real path. It creates a provisioning.cattle.io Cluster on the management API
// server, Rancher's stand-in derives Machines and plans from it, and the machines start the
// components in their plans. This package only chooses the environment of a cluster: addresses,
// certificates, instances, host names, and the balancer before the API servers.
//
// A cluster of rke has no management cluster: the package makes the machines and writes
// cluster.yml, and rke's stand-in brings the cluster up from nothing.
//
// It omits DNS, pod networks, kube-proxy (a Service has no packets) and a second downstream
// cluster. It knows nothing of awsmigrate and shares no code with it.
package cluster
