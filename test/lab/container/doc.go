// Package container gives a process of this machine the view of a container: only the root file
// system of an image, its mounts, its own variables, and an unprivileged user.
//
// It replaces runc for the images that the lab runs as they were built, and knows neither
// Kubernetes nor the origin of an image. It omits namespaces of processes and of the network,
// cgroups, seccomp, a writable layer, and the files that a kubelet adds for DNS. It needs Linux
// and root.
package container
