// Package checks holds the checks that need only Kubernetes and EC2: pure judgements
// over values that were read before. Each category has its table of stable IDs, with
// all that belongs to a check, and beside it what judges; an ID is never used again for
// another check. The checks 4xx are in awschecks, and what all of them judge by in
// evidence.
//
// It knows nothing of Rancher, of cluster.yml or of what a step will write.
package checks
