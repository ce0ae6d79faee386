// Package rollout judges the DaemonSet of the AWS cloud controller manager: whether a
// current pod is ready on every control-plane Node, and if not, what holds it up, from
// what was read of the DaemonSet, its pods, their events and last words.
//
// It reads nothing, writes nothing and does not wait.
package rollout
