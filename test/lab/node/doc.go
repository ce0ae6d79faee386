// Package node is the lab's node agent: it does what rancher-system-agent, RKE2 1.26 and the
// kubelet do on one machine, as far as a migration of the cloud provider depends on it. It
// applies machine plans, renders RKE2's configuration into component arguments, runs the real
// kube-apiserver, kube-controller-manager and kube-scheduler, creates their mirror pods,
// registers and keeps the Node, and runs the pods that the real scheduler binds to it.
//
// On a real machine (Config.Real) it is only the system agent and RKE2's supervisor: a real kubelet
// runs the manifests that it writes.
//
// On a host of rke it simulates Docker instead of RKE2: it runs the containers that rke's
// stand-in creates, which no API shows, behind the entrypoint of rancher/rke-tools.
//
// It follows rancher/rke2@v1.26.15+rke2r1 (pkg/rke2, pkg/podexecutor, pkg/staticpod),
// k3s-io/k3s (pkg/daemons, pkg/nodeconfig, pkg/util/args.go) and kubernetes/kubernetes@v1.26.13
// (pkg/kubelet).
//
// It omits containers (a pod's container is a process that sees the machine's files, with its
// mount paths rewritten in its arguments and environment), images other than those of a fixed
// table, exec and TCP probes, static pods of files other than kube-controller-managers, and
// their probes, events of static pods and Nodes, what kube-proxy does, CNI, volumes other than
// ConfigMap, Secret, projected, downward API, emptyDir and hostPath, resource limits, eviction,
// rotation of secrets encryption keys, and etcd, which the whole lab shares. Of Docker it has only
// creating, starting, stopping, renaming and removing containers.
//
// The package must not know awsmigrate, nor share code with pkg/.
package node
