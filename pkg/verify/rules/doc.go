// Package rules has what several distributions share: the questions that all of them are
// asked, each with one ID and title, and the rules that they judge by. It is given what was
// counted, and knows nothing of where that was read.
//
// A rule that looks alike and is not the same stays with its distribution, under the ID of
// the question:
//
//   - How many control planes restart at once. Rancher rounds a share up, and takes 0
//     for no limit (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5,
//     calculateConcurrency); rke rounds it down to 1 at least, and refuses 0
//     (rancher/rke:services/node_util.go@v1.5.9, CalculateMaxUnavailable).
//   - Whether a rollout drains. rke has one switch for every node, and drains where it is
//     on; Rancher has options for control planes and for workers, and hooks that cordon
//     without draining.
//   - Whether a cluster is at rest. Each side lists what its own tools have not finished;
//     that no Node may be missing or not Ready is added in pkg/migration, once.
package rules
