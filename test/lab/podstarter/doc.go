// Package podstarter stands for scheduler, kubelet and container runtime of the
// cluster that Rancher runs in: it starts the containers of Jobs' pods as processes of
// this machine, so that the real Job controller has pods whose exit codes it can count.
//
// A pod is bound to one node that does not exist as an object. Its token is asked for
// by TokenRequest, bound to the pod as the kubelet binds it, so that it ends with the
// pod. SIGTERM, the grace period and SIGKILL follow a deletion; a process that ends is
// reported with its exit code, 128+n after signal n.
//
// What it leaves out: scheduling (node selectors, tolerations, resources), images (a
// table says which program an image is), restart policies other than Never, init
// containers, probes, security contexts and namespaces of the kernel. Containers see
// the machine's file system: an argument below a mount path is rewritten to the folder
// that stands for the volume. client-go's fixed paths of a service account are no
// folder of one process alone either: the container gets a KUBECONFIG that names the
// same token file and authority instead. HOME and TMPDIR are places where nothing can
// be written, which is what is left of a read-only root file system.
package podstarter
