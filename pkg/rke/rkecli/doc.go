// Package rkecli is the program rke as a process: where it is found, which version it
// is, which images it takes for a Kubernetes version, and one run of it, which
// outlives awsmigrate if it has to.
//
// It may not know clusters, cluster.yml, rke's state, steps or the journal.
package rkecli
