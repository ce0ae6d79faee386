// Package podstarter stands for scheduler, kubelet and container runtime of the
// cluster that Rancher runs in: it starts the containers of Jobs' and Deployments' pods as
// processes of this machine, so that the real controllers have pods that they can count.
//
// A pod is bound to one node that does not exist as an object. Its token is asked for
// by TokenRequest, bound to the pod as the kubelet binds it, so that it ends with the
// pod, and is renewed in its file. SIGTERM, the grace period and SIGKILL follow a deletion;
// a process that ends is reported with its exit code, 128+n after signal n.
//
// A table says what an image is. A folder is the image as it was built: its container
// sees that root file system alone, and its volumes where it mounts them, as its user,
// without rights; package container says what is left out. A file is a program that runs
// instead, as root, and sees the machine's file system: an argument below a mount path is
// rewritten to the folder that stands for the volume. client-go's fixed paths of a service
// account are no folder of one process alone then: it gets a KUBECONFIG that names the
// same token file and authority instead. HOME and TMPDIR are places where nothing can be
// written, which is what is left of a read-only root file system.
//
// What it leaves out: scheduling (node selectors, tolerations, resources), pulling,
// restart policy OnFailure, init containers, probes (what runs is ready), and namespaces of
// the kernel.
package podstarter
