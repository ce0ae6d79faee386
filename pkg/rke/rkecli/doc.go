// Package rkecli runs the program rke as a process: it finds the binary, reads its version and
// its images for a Kubernetes version, and starts a run that can outlive awsmigrate.
//
// It must not know clusters, cluster.yml, rke's state, steps or the journal.
package rkecli
