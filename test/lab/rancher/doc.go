// Package rancher stands in for Rancher in the lab: it serves Rancher's objects
// on a real management API server and behaves on them as Rancher 2.8 does where
// a migration of the cloud provider can tell the difference.
//
// What it does, with its source in rancher/rancher@v2.8.5 unless said otherwise:
//
//   - Cluster to RKEControlPlane by a copy that comes late (pkg/controllers/provisioningv2/provisioningcluster)
//   - machine pools to Machines, scaling, health checks, deletion with the downstream Node
//   - the merge of machineGlobalConfig and machineSelectorConfig and its filter (pkg/capr/planner/config.go, filter.go)
//   - plans, tiers, concurrency, probes, drain, pause, snapshots, the gate on a connected agent (pkg/capr/planner)
//   - the admission webhook's rewriting of kube-apiserver-arg (rancher/webhook@v0.4.18 provisioning.cattle.io/v1/cluster)
//   - the proxy to downstream clusters (pkg/clusterrouter)
//
// What it leaves out: users and impersonation (a bearer token passes through, or
// stands for one that does), and that a token ends by itself; one downstream cluster only; tokens, node addresses, registries and
// chart values in the rendered configuration; probes of etcd and of the network
// plugin; differences of the release metadata between versions up to 1.26; restoring a
// snapshot, rotating certificates and keys; K3s and Windows plans; MachineSets,
// bootstrap and infrastructure objects; every part of Rancher that serves people.
// A plan that has probes counts as healthy only once they are reported: Rancher
// takes silence for health, which its agent never leaves standing.
//
// The package knows nothing of awsmigrate and shares no code with it.
package rancher
