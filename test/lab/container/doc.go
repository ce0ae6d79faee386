// Package container makes a process of this machine see what a container sees: the root
// file system of an image and nothing beside it, what is mounted into it, the variables
// of the container alone, and a user who may nothing.
//
// It stands for what runc does for the images that the lab runs as they were built, and
// knows neither Kubernetes nor where an image comes from. What it leaves out: namespaces
// of processes and of the network, cgroups, seccomp, a writable layer, and the files that
// a kubelet adds for DNS. Linux and root alone.
package container
