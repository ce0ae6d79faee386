package procedure

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
)

// Seconds without cloud controllers during a hand-over, with the default lease durations. A
// check warns if longer durations are in force.
const (
	minPause runner.About = 13
	maxPause runner.About = 24
	// maxPauseBothLeases applies if the next leader also needs the migration lease. It starts
	// to ask for that lease when it leads, and then watches it for its whole duration, 15 to 19
	// s, regardless of how long the lease was idle before
	// (k8s.io/client-go:tools/leaderelection/leaderelection.go@v0.26.0, tryAcquireOrRenew).
	maxPauseBothLeases runner.About = 43
)

// pausesBetween returns pauses for a number of hand-overs.
func pausesBetween(minTimes, maxTimes int) runner.Pauses {
	return runner.Pauses{Least: minTimes, Most: max(minTimes, maxTimes), EachLeast: minPause, EachMost: maxPause}
}

// pausesBothLeases returns the pauses of leaders that are replaced under leader migration.
func pausesBothLeases(minTimes, maxTimes int) runner.Pauses {
	p := pausesBetween(minTimes, maxTimes)
	p.EachMost = maxPauseBothLeases
	return p
}

// addOneHandOver adds the pause of a step that moves the migration lease.
func addOneHandOver(plan *runner.Plan, _ migration.Snapshot) {
	plan.Pauses = pausesBetween(1, 1)
	plan.Notes = append(plan.Notes, fmt.Sprintf("one hand-over, %d to %d s without service, route and cloud-node-lifecycle controllers", minPause, maxPause))
}

// addPossibleHandOver adds the pause of a switch after an early hand-over, which may have been
// skipped.
func addPossibleHandOver(plan *runner.Plan, snap migration.Snapshot) {
	if snap.Reading.LeaseVerdict().Owner != lease.CCM && reasonInSettings(snap.Reading) != "" {
		addOneHandOver(plan, snap)
		return
	}
	plan.Pauses = pausesBetween(0, 1)
	plan.Notes = append(plan.Notes, fmt.Sprintf("no hand-over, unless it was left to this step: then %d to %d s without service, route and cloud-node-lifecycle controllers", minPause, maxPause))
}

// addLeaderPauses adds the pauses of a rolling update of the CCM. Each pod that takes the lead
// may be replaced next.
func addLeaderPauses(plan *runner.Plan, snap migration.Snapshot) {
	plan.Pauses = pausesBothLeases(1, snap.Reading.CountControlPlanes())
	plan.Notes = append(plan.Notes, fmt.Sprintf("each leader that the rolling update replaces costs %d to %d s without the cloud controllers", minPause, maxPauseBothLeases))
}

// addReplacementPause adds the pause of a replacement of the CCM's pods, the leader last. The
// other pods look at the main lease every 2 to 4.4 s.
func addReplacementPause(plan *runner.Plan, _ migration.Snapshot) {
	plan.Pauses = runner.Pauses{Least: 1, Most: 1, EachLeast: 1, EachMost: maxPause}
	plan.Notes = append(plan.Notes, fmt.Sprintf("the leader is replaced last: one pause of the cloud controllers, 1 to 6 s if a kubelet shows its end, else %d to %d s", minPause, maxPause))
}

// addRestartPauses adds the pauses of a rollout that restarts every kube-controller-manager
// while they run the cloud controllers.
func addRestartPauses(plan *runner.Plan, snap migration.Snapshot) {
	plan.Pauses = pausesBothLeases(1, snap.Reading.CountControlPlanes())
}

// addUpgradePauses adds the pauses of an upgrade. The CCM follows the version, pod by pod,
// unless a user pinned its image.
func addUpgradePauses(plan *runner.Plan, snap migration.Snapshot) {
	plan.Pauses = pausesBetween(0, 2*snap.Reading.CountControlPlanes())
}

// addPossibleRestartPauses adds the pauses of a rollout during which the leader can lose its
// API server.
func addPossibleRestartPauses(plan *runner.Plan, snap migration.Snapshot) {
	plan.Pauses = pausesBothLeases(0, snap.Reading.CountControlPlanes())
}
