// Package status presents a cluster's state in Rancher's UI, in kubectl, and to tools that wait
// for conditions. It is a function of plain values. It reads no cluster and decides nothing, and
// no decision may depend on its output.
//
// Green means a reached goal and nothing else. Red means that a person must help, or that a
// rollout was paused. Blue means that work continues without help. Tests in the test module
// compare this with the code by which Rancher 2.8 and later judges objects.
package status
