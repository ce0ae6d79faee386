// Package status is how a cluster's state is shown: what Rancher's UI, kubectl and tools
// that wait for conditions make of one moment. It is a function of plain values. It reads
// no cluster and decides nothing, and nothing may be decided from what it makes.
//
// Green is a reached goal and nothing else, red is what stands still until somebody helps
// or what the brake has stopped, blue is what goes on by itself. Tests in the module of
// the tests hold this to the code by which Rancher 2.8 and later judge objects.
package status
