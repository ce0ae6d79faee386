// Package rollout judges the DaemonSet of the AWS cloud controller manager: whether every
// control-plane Node has a current and ready pod, and if not, why. It uses the DaemonSet, its
// pods, their events and their last log lines.
//
// It reads nothing, writes nothing and does not wait.
package rollout
