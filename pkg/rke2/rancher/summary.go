package rancher

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// ranked marks the most telling of what is pending, and what only repeats it. While Rancher
// rolls an edit out, its Ready condition names the machines and what they wait for;
// appliedSpec, Reconciled and the machines' own conditions then say the same with fewer
// words. It chooses by kinds and by Rancher's messages, never by the sentences that are
// shown.
func ranked(open []migration.PendingCondition) []migration.PendingCondition {
	lead := slices.IndexFunc(open, explains)
	out := slices.Clone(open)
	for i := range out {
		out[i].Line = lineOf(out[i])
		if lead >= 0 {
			out[i].Leads = i == lead
			out[i].Repeats = i != lead && repeats(out[i], open[lead].Condition.Message)
		}
	}
	return out
}

// explains reports whether it is Rancher's word on what it does.
func explains(one migration.PendingCondition) bool {
	c := one.Condition
	return one.Kind == planeCondition && c.Type == conditionReady && c.Status != "" && c.Message != ""
}

// repeats reports whether Rancher's message says it already.
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

// lineOf returns one line of a wait or an error, or "" for the usual one. Rancher's own
// words need no object.
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
