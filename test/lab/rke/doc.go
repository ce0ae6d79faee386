// Package rke simulates the rke command line: it decodes cluster.yml, builds the containers'
// arguments, and applies them to the lab's machines in rke's order.
//
// It follows rancher/rke@v1.5.10 (cmd, cluster, services, k8s, docker), and v1.4.14 to v1.6
// where versions differ. Service options and images are those of
// rancher/kontainer-driver-metadata@7c2ba52. It has rke's surprises, too: unknown keys are
// ignored, a name is resolved from the presence of awsCloudProvider, every visited node is
// uncordoned, nothing is locked, and the state says "current" before the workers were changed.
//
// It omits making and deploying certificates (the machines have theirs from the beginning, and
// a run without a state file is refused), etcd's own containers beyond their existence, images
// and pulling, port and SELinux checks, adding and removing nodes, addons and their Jobs,
// drain, encryption of secrets, rotation, restoring, private registries, bastion hosts,
// Windows, DinD, --local, and versions of Kubernetes before 1.24. The running components are
// the lab's 1.26, regardless of the version. It keeps nodes and the keys of cluster.yml for the
// parts that it has. Other keys are accepted and dropped, as unknown ones are.
//
// GetNode finds the Node of a host, and so causes a danger. After a change from external-aws
// back to aws no Node carries the host name that rke looks for. rke then takes every control
// plane for "not ready" and works on all of them at once.
//
// The package shares no code with pkg/. In particular it does not use pkg/rke/clusterfile,
// whose edits it judges by reading them as rke would.
package rke
