package rke2

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

const (
	planeKind   = "RKEControlPlane "
	machineKind = "Machine "
	notApplied  = "an edit is not applied everywhere yet"
)

// telling puts the most telling line first and leaves out what only repeats it.
// While Rancher rolls an edit out, its Ready condition names the machines and
// what they wait for; appliedSpec, Reconciled and the machines' own conditions
// then say the same with fewer words. Of a list that is not empty something is
// always left.
func telling(open []Unrest) []Unrest {
	ready, message := readyMessage(open)
	if message == "" {
		return open
	}
	kept := []Unrest{ready}
	for _, one := range open {
		if one != ready && !repeats(one, message) {
			kept = append(kept, one)
		}
	}
	return kept
}

// readyMessage is Rancher's word on what it does, if there is one.
func readyMessage(open []Unrest) (Unrest, string) {
	for _, one := range open {
		if !strings.HasPrefix(one.Object, planeKind) {
			continue
		}
		if condition, message, ok := strings.Cut(one.Seen, ": "); ok && strings.HasPrefix(condition, "Ready=") {
			return one, message
		}
	}
	return Unrest{}, ""
}

func repeats(one Unrest, message string) bool {
	condition, own, _ := strings.Cut(one.Seen, ": ")
	if strings.HasPrefix(one.Object, planeKind) {
		return strings.HasPrefix(one.Seen, notApplied) || condition == "Reconciled=Unknown"
	}
	name, machine := strings.CutPrefix(one.Object, machineKind)
	return machine && strings.HasSuffix(condition, "=Unknown") && strings.Contains(message, name) && strings.Contains(message, own)
}

// tell is one line of a wait or an error. Rancher's own words stand for themselves.
func tell(u Unrest) string {
	if !strings.HasPrefix(u.Object, planeKind) {
		return u.Object + ": " + u.Seen
	}
	condition, message, ok := strings.Cut(u.Seen, ": ")
	switch {
	case strings.HasPrefix(u.Seen, "Rancher "):
		return u.Seen
	case ok && condition == "Ready=Unknown":
		return "Rancher: " + message
	case ok && condition == "Ready=False":
		return "Rancher, not Ready: " + message
	}
	return u.Object + ": " + u.Seen
}

// SummariseUnrest is one line for a wait or an error.
func SummariseUnrest(problems []Unrest) string {
	problems = telling(problems)
	lines := make([]string, 0, len(problems))
	for _, p := range problems {
		lines = append(lines, tell(p))
	}
	return migration.TellSome(lines)
}
