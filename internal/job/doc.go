// Package job describes a run in Rancher's own cluster as Kubernetes objects: a Job with exactly
// the rights that the run needs. It is a function from values to objects. It takes no client; the
// user applies what it prints.
package job
