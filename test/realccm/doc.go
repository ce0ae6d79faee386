// Package realccm runs real AWS cloud controller managers against real kube-apiservers and the
// lab's AWS, with the arguments, files, environment and roles that the product's chart renders.
//
// Each manager runs as in its container: in a root of its own with the mounts of its DaemonSet,
// as the user of its pod, without any other variable. It finds the API server at its Service's
// address, the metadata service at 169.254.169.254 and AWS by its public names. All of them are
// in a network namespace that has only a loopback device, so no call leaves the machine.
//
// There is no kubelet, no kube-controller-manager and no Rancher. `make real-ccm` runs it, as
// root; `make test` does not.
package realccm
