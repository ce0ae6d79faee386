package rancher

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// mostSpecific puts the most telling line first and leaves out what only repeats it.
// While Rancher rolls an edit out, its Ready condition names the machines and
// what they wait for; appliedSpec, Reconciled and the machines' own conditions
// then say the same with fewer words. Of a list that is not empty something is
// always left. It chooses by kinds and by Rancher's messages, never by the
// sentences that are shown.
func mostSpecific(open []migration.PendingCondition) []migration.PendingCondition {
	at := slices.IndexFunc(open, explains)
	if at < 0 {
		return open
	}
	ready := open[at]
	kept := []migration.PendingCondition{ready}
	for _, one := range open {
		if one != ready && !repeats(one, ready.Condition.Message) {
			kept = append(kept, one)
		}
	}
	return kept
}

// explains says whether it is Rancher's word on what it does.
func explains(one migration.PendingCondition) bool {
	c := one.Condition
	return one.Kind == planeCondition && c.Type == conditionReady && c.Status != "" && c.Message != ""
}

// repeats says whether Rancher's message says it already.
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

// tell is one line of a wait or an error. Rancher's own words stand for themselves.
func tell(u migration.PendingCondition) string {
	switch {
	case u.Kind == editNotCopied:
		return u.Seen
	case explains(u) && u.Condition.Status == "Unknown":
		return "Rancher: " + u.Condition.Message
	case explains(u) && u.Condition.Status == "False":
		return "Rancher, not Ready: " + u.Condition.Message
	}
	return u.Object + ": " + u.Seen
}

// Lines are what is open, each in one line for a wait or an error.
func Lines(open []migration.PendingCondition) []string {
	var lines []string
	for _, one := range mostSpecific(open) {
		lines = append(lines, tell(one))
	}
	return lines
}

// Summarise is one line for a wait or an error.
func Summarise(open []migration.PendingCondition) string { return migration.JoinSome(Lines(open)) }
