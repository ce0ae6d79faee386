// Package job writes down a run in Rancher's own cluster as Kubernetes objects: a Job
// with the rights that the run needs and no others. From values to objects: it takes no
// client, and prints what somebody else applies.
package job
