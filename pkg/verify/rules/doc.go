// Package rules holds what several distributions share: common questions, each with one ID and
// title, and the rules that judge them. It receives counts, and does not know where they were
// read.
//
// A rule that looks the same but differs stays with its distribution, under the ID of the
// question:
//
// - How many control planes restart at once. Rancher rounds a share up, and treats 0 as no limit
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, calculateConcurrency); rke rounds it down
// to at least 1, and refuses 0 (rancher/rke:services/node_util.go@v1.5.9,
// CalculateMaxUnavailable).
// - Whether a rollout drains. rke has one switch for all nodes; Rancher has options for control
// planes and for workers, and hooks that cordon without draining.
// - Whether a cluster is at rest. Each side lists what its own tools have not finished;
// pkg/migration adds once that no Node may be missing or not Ready.
package rules
