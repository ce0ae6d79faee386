// Package rancher simulates Rancher in the lab. It serves Rancher's objects on a real management
// API server and handles them as Rancher 2.8 does, wherever that matters for a migration of the
// cloud provider.
//
// It has these parts, from rancher/rancher@v2.8.5 unless another source is given:
//
//   - Cluster to RKEControlPlane by a copy that comes late (pkg/controllers/provisioningv2/provisioningcluster)
//   - machine pools to Machines, scaling, health checks, deletion with the downstream Node
//   - the pools' templates (Amazonec2Config), without which no edit of the Cluster is applied
//   - the merge of machineGlobalConfig and machineSelectorConfig and its filter (pkg/capr/planner/config.go, filter.go)
//   - plans, tiers, concurrency, probes, drain, pause, snapshots, the gate on a connected agent (pkg/capr/planner)
//   - the admission webhook's rewriting of kube-apiserver-arg (rancher/webhook@v0.4.18 provisioning.cattle.io/v1/cluster)
//   - the proxy to downstream clusters (pkg/clusterrouter)
//
// It omits users and impersonation (a bearer token passes through, or is replaced by one that
// does), the expiry of tokens, and a second downstream cluster. The rendered configuration lacks
// tokens, node addresses, registries and chart values. There are no probes of etcd and of the
// network plugin, no differences of the release metadata between versions up to 1.26, no restore
// of a snapshot, no rotation of certificates and keys, no K3s and Windows plans, no MachineSets,
// bootstrap and infrastructure objects, no replacement of machines whose template changed, and no
// user interface. A plan with probes counts as
// healthy only once they are reported: Rancher takes a missing report for health, but its agent
// always reports.
//
// The package knows nothing of awsmigrate and shares no code with it.
package rancher
