package rancher

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// rankPending marks the most informative pending conditions and those that only repeat them. A
// Beacon that stops Rancher's planner is the cause of all others. During
// a rollout, Rancher's Ready condition names the machines and their reasons. appliedSpec,
// Reconciled and the conditions of the machines repeat it with less detail. The choice
// depends on kinds and on Rancher's messages, never on our own texts.
func rankPending(pending []migration.PendingCondition) []migration.PendingCondition {
	lead := slices.IndexFunc(pending, explains)
	out := slices.Clone(pending)
	for i := range out {
		out[i].Line = lineOf(out[i])
		out[i].Leads = i == lead || out[i].Kind == beaconHeld || out[i].Kind == beaconAbsent
		if lead >= 0 {
			out[i].Repeats = i != lead && repeats(out[i], pending[lead].Condition.Message)
		}
	}
	return out
}

// explains reports whether one holds Rancher's own message about its work.
func explains(one migration.PendingCondition) bool {
	c := one.Condition
	return one.Kind == planeCondition && c.Type == conditionReady && c.Status != "" && c.Message != ""
}

// repeats reports whether Rancher's message already covers one.
func repeats(one migration.PendingCondition, message string) bool {
	c := one.Condition
	switch one.Kind {
	case specNotApplied:
		return true
	case planeCondition:
		return c.Type == conditionReconciled && c.Status == "Unknown"
	case machineCondition:
		return c.Status == "Unknown" && strings.Contains(message, one.Name) && strings.Contains(message, c.Message)
	}
	return false
}

// lineOf returns a short line for a wait or an error, or empty to use the default line.
// Rancher's own messages need no object.
func lineOf(u migration.PendingCondition) string {
	switch {
	case u.Kind == editNotCopied:
		return u.Seen
	case explains(u) && u.Condition.Status == "Unknown":
		return "Rancher: " + u.Condition.Message
	case explains(u) && u.Condition.Status == "False":
		return "Rancher, not Ready: " + u.Condition.Message
	}
	return ""
}
