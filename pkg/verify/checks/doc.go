// Package checks holds the checks that need only Kubernetes and EC2: pure judgements of values
// that were read earlier. Each category has a table of stable IDs with the descriptions of its
// checks, and files with their judgements. An ID is never reused. The checks 4xx are in
// awschecks, 6xx in ccmchecks, those that compare load balancers with AWS in lbchecks, and the common
// input is in evidence.
//
// It knows nothing of Rancher, of cluster.yml or of the writes of a step.
package checks
