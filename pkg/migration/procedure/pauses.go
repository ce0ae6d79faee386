package procedure

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// How many seconds nobody runs the cloud controllers when they change hands, with the usual
// lease durations; a check warns where longer ones are in force.
const (
	leastPause runner.About = 13
	mostPause  runner.About = 24
	// mostOfBoth is the most where the next leader asks for the migration lease, too. It
	// begins to when it leads, and looks at the lease for the whole of its duration then, 15
	// to 19 s, however long that was silent before
	// (k8s.io/client-go:tools/leaderelection/leaderelection.go@v0.26.0, tryAcquireOrRenew).
	mostOfBoth runner.About = 43
)

// pauses are so many times that the cloud controllers change hands.
func pauses(least, most int) runner.Pauses {
	return runner.Pauses{Least: least, Most: max(most, least), EachLeast: leastPause, EachMost: mostPause}
}

// ofBothLeases are the pauses of leaders that are replaced by others under leader migration.
func ofBothLeases(least, most int) runner.Pauses {
	p := pauses(least, most)
	p.EachMost = mostOfBoth
	return p
}

// oneHandOver is the pause of a step in which the migration lease changes hands, and its
// note in a plan.
func oneHandOver(plan *runner.Plan, _ migration.Snapshot) {
	plan.Pauses = pauses(1, 1)
	plan.Notes = append(plan.Notes, fmt.Sprintf("one hand-over, %d to %d s without service, route and cloud-node-lifecycle controllers", leastPause, mostPause))
}

// handOverIfLeft is that of the switch behind a step that hands over, unless that was left
// to the switch.
func handOverIfLeft(plan *runner.Plan, _ migration.Snapshot) {
	plan.Pauses = pauses(0, 1)
	plan.Notes = append(plan.Notes, fmt.Sprintf("no hand-over, unless it was left to this step: then %d to %d s without service, route and cloud-node-lifecycle controllers", leastPause, mostPause))
}

// eachLeader are the pauses of a rolling update of the cloud controller manager: the
// leader is replaced, and whoever takes over may be replaced next.
func eachLeader(plan *runner.Plan, seen migration.Snapshot) {
	plan.Pauses = ofBothLeases(1, seen.Reading.CountControlPlanes())
	plan.Notes = append(plan.Notes, fmt.Sprintf("each leader that the rolling update replaces costs %d to %d s without the four controllers", leastPause, mostOfBoth))
}

// leadersRestart are the pauses of a roll that restarts every kube-controller-manager
// while they run the cloud controllers.
func leadersRestart(plan *runner.Plan, seen migration.Snapshot) {
	plan.Pauses = ofBothLeases(1, seen.Reading.CountControlPlanes())
}

// eachUpdated are the pauses of an upgrade: the cloud controller manager follows the
// version, pod by pod, unless somebody pinned its image.
func eachUpdated(plan *runner.Plan, seen migration.Snapshot) {
	plan.Pauses = pauses(0, 2*seen.Reading.CountControlPlanes())
}

// leadersMayRestart are those of a roll beside which the leader can lose its API server.
func leadersMayRestart(plan *runner.Plan, seen migration.Snapshot) {
	plan.Pauses = ofBothLeases(0, seen.Reading.CountControlPlanes())
}
