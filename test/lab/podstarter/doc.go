// Package podstarter simulates the scheduler, kubelet and container runtime of the cluster
// that Rancher runs in. It starts the containers of Jobs' and Deployments' pods as processes of
// this machine, so that the real controllers have pods to count.
//
// A pod is bound to one node that does not exist as an object. Its token comes from
// TokenRequest, bound to the pod as the kubelet binds it: it ends with the pod, and is renewed
// in its file. SIGTERM, the grace period and SIGKILL follow a deletion. A process that ends is
// reported with its exit code, or with 128+n after signal n.
//
// A table maps images to folders and files. A folder is the image as it was built: its
// container sees only that root file system, with its volumes mounted, as its user, without
// rights. Package container lists what it omits. A file is a program that runs instead, as
// root, and sees the machine's file system. An argument below a mount path is rewritten to the
// folder of the volume. The fixed paths of a service account in client-go cannot exist for one
// process alone, so it gets a KUBECONFIG that names the same token file and authority instead.
// HOME and TMPDIR are not writable, which is the remaining effect of a read-only root file
// system.
//
// It omits scheduling (node selectors, tolerations, resources), pulling, restart policy
// OnFailure, init containers, probes (a running container is ready), and namespaces of the
// kernel.
package podstarter
