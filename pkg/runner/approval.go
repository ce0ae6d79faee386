package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// approved is a plan as somebody said yes to it: what each step writes. What is only for people (summaries, counts, estimates,
// diffs) does not count: a worker that joins withdraws no approval. Nil: nobody was asked.
type approved map[journal.StepID][]string

// written is a change as it is compared.
type written struct{ Object, Location, Before, After, Result, SHA256 any }

// approvedOf is what a yes to a plan is a yes to. It is the one form in which plans are
// compared: one that was shown, one from a file, and one that a hash names.
func approvedOf(plan []PlannedStep) (approved, error) {
	steps := approved{}
	for _, p := range plan {
		if !p.State.Kind.writes() {
			continue
		}
		steps[p.ID] = []string{}
		for _, c := range p.Changes {
			text, err := json.Marshal(written{c.Object, c.Location, c.Before, c.After, c.Result, c.SHA256})
			if err != nil {
				return nil, fmt.Errorf("compare plans: %w", err)
			}
			steps[p.ID] = append(steps[p.ID], string(text))
		}
	}
	return steps, nil
}

// covers says whether nothing is in now that is not in a: a step that has become
// done meanwhile needs no new yes, a change that has become another does.
func (a approved) covers(now approved) bool {
	for id, changes := range now {
		known, ok := a[id]
		if !ok || beyond(known, changes) != "" {
			return false
		}
	}
	return true
}

// beyond is the place of the first change that is not among those that are known; "":
// all are.
func beyond(known, changes []string) string {
	for _, c := range changes {
		if !slices.Contains(known, c) {
			return placeOf(c)
		}
	}
	return ""
}

func placeOf(change string) string {
	var of struct{ Object, Location string }
	if err := json.Unmarshal([]byte(change), &of); err != nil {
		return change
	}
	return strings.TrimSpace(of.Object + " " + of.Location)
}

// hash names the approved plan; "" if nobody was asked.
func (a approved) hash() (string, error) {
	if a == nil {
		return "", nil
	}
	text, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("name a plan: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
