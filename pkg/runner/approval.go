package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// approved is a plan as somebody said yes to it: what each step writes. What is only for
// people (summaries, counts, estimates, diffs) does not count: a worker that joins
// withdraws no approval. Nil: nobody was asked.
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
			text, err := canonical(written{c.Object, c.Location, c.Before, c.After, c.Result, c.SHA256})
			if err != nil {
				return nil, fmt.Errorf("compare plans: %w", err)
			}
			steps[p.ID] = append(steps[p.ID], string(text))
		}
	}
	return steps, nil
}

// canonical is JSON that stays the same when it is read and written again.
func canonical(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var plain any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&plain); err != nil {
		return nil, err
	}
	return json.Marshal(plain)
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

func objectOf(change string) string {
	var of struct{ Object string }
	if err := json.Unmarshal([]byte(change), &of); err != nil {
		return change
	}
	return of.Object
}

// Hash names a plan by what it rests on and what it writes: an approval of a plan is one
// of its hash. The order of changes within a step does not count, and neither does the
// version that made it.
func (p WholePlan) Hash() (string, error) {
	writes, err := approvedOf(p.Steps)
	if err != nil {
		return "", err
	}
	for _, changes := range writes {
		slices.Sort(changes)
	}
	text, err := json.Marshal(struct {
		Basis  Basis    `json:"basis"`
		Writes approved `json:"writes"`
	}{p.Basis, writes})
	if err != nil {
		return "", fmt.Errorf("name a plan: %w", err)
	}
	return "sha256:" + Digest(string(text)), nil
}

// approvedHash is the hash by which the plan was approved.
func (p WholePlan) approvedHash() (string, error) {
	if p.ApprovedAs != "" {
		return p.ApprovedAs, nil
	}
	return p.Hash()
}

// Digest stands in a plan for texts that are too long for it, or secret: the hex SHA-256
// of all of them, each with its length.
func Digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
