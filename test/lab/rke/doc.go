// Package rke stands in for the rke command line: it decodes cluster.yml, builds
// the containers' arguments, and brings the lab's machines to them in rke's order.
//
// It follows rancher/rke@v1.5.10 (cmd, cluster, services, k8s, docker), and for
// what differs by version v1.4.14 to v1.6; service options and images are those of
// rancher/kontainer-driver-metadata@7c2ba52. Where rke does something surprising,
// so does it: keys it does not know are ignored, a name is resolved from the
// presence of awsCloudProvider, everything visited is uncordoned, nothing is
// locked, the state says "current" before the workers were touched.
//
// Left out: making and deploying certificates (the machines have theirs from the
// beginning, and a run without a state file is refused), etcd's own containers
// beyond their being there, images and pulling, port and SELinux checks, adding
// and removing nodes, addons and their Jobs, drain, encryption of secrets, rotation,
// restoring, private registries, bastion hosts, Windows, DinD, --local, and
// versions of Kubernetes before 1.24. Whatever the version, the components that
// run are the lab's 1.26. Of cluster.yml it keeps the keys that have to do with
// all that, and nodes; others are accepted and dropped, as unknown ones are.
//
// The node a host is comes from GetNode, and so does a danger: going back from
// external-aws to aws, no Node carries the host name that rke looks for any more,
// and rke takes every control plane for "not ready" and works on all at once.
//
// It shares no code with pkg/, and least with pkg/rke/clusterfile, whose edits it
// judges by reading them as rke would.
package rke
