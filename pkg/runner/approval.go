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

// approvedWrites maps each step of an approved plan to the changes that it writes. Text for people
// (summaries, counts, estimates, diffs) is not compared, so that a new worker withdraws no
// approval. It is nil if no approval was requested.
type approvedWrites map[journal.StepID][]string

// comparedChange is the compared part of a change.
type comparedChange struct{ Object, Location, Before, After, SHA256 any }

// approvedOf returns the part of a plan that an approval covers. All plans are compared in this
// form: a shown one, one from a file, and one named by its hash.
func approvedOf(plan []PlannedStep) (approvedWrites, error) {
	steps := approvedWrites{}
	for _, p := range plan {
		if !p.State.Kind.writes() {
			continue
		}
		steps[p.ID] = []string{}
		for _, c := range p.Changes {
			text, err := canonical(comparedChange{c.Object, c.Location, c.Before, c.After, c.SHA256})
			if err != nil {
				return nil, fmt.Errorf("compare plans: %w", err)
			}
			steps[p.ID] = append(steps[p.ID], string(text))
		}
	}
	return steps, nil
}

// canonical returns JSON that stays the same when it is decoded and encoded again.
func canonical(v any) ([]byte, error) {
	plain, err := plainOf(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

// plainOf returns a value as its JSON is decoded, with the digits of its numbers.
func plainOf(v any) (any, error) {
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
	return plain, nil
}

// covers reports whether a contains everything in now. A step that is done meanwhile needs no new
// approval, but a different change does.
func (a approvedWrites) covers(now approvedWrites) bool {
	for id, changes := range now {
		known, ok := a[id]
		if !ok || firstUncovered(known, changes) != "" {
			return false
		}
	}
	return true
}

// firstUncovered returns the place of the first change that is not in known, or "".
func firstUncovered(known, changes []string) string {
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

// Hash returns the identity of a plan: an approval of a plan refers to its hash. It covers the
// basis and the changes, but neither the order of changes within a step nor the version of
// awsmigrate.
func (p WholePlan) Hash() (string, error) {
	writes, err := approvedOf(p.Steps)
	if err != nil {
		return "", err
	}
	for _, changes := range writes {
		slices.Sort(changes)
	}
	text, err := json.Marshal(struct {
		Basis  Basis          `json:"basis"`
		Writes approvedWrites `json:"writes"`
	}{p.Basis, writes})
	if err != nil {
		return "", fmt.Errorf("name a plan: %w", err)
	}
	return "sha256:" + Digest(string(text)), nil
}

// TextHash returns the identity of everything that a plan shows of its steps, including diffs,
// summaries and notes. steps are PlannedSteps, or the JSON that they were printed as.
func TextHash(steps any) (string, error) {
	plain, err := plainOf(steps)
	if err != nil {
		return "", fmt.Errorf("name the text of a plan: %w", err)
	}
	text, err := json.Marshal(withoutEmpty(plain))
	if err != nil {
		return "", fmt.Errorf("name the text of a plan: %w", err)
	}
	return "sha256:" + Digest(string(text)), nil
}

// withoutEmpty returns a decoded value without null and empty fields: a printed document has
// other ones than its values.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, field := range v {
			if field = withoutEmpty(field); field != nil {
				kept[key] = field
			}
		}
		if len(kept) > 0 {
			return kept
		}
		return nil
	case []any:
		if len(v) == 0 {
			return nil
		}
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = withoutEmpty(v[i])
		}
		return kept
	}
	return v
}

// approvedHash returns the hash under which the plan was approved.
func (p WholePlan) approvedHash() (string, error) {
	if p.ApprovedAs != "" {
		return p.ApprovedAs, nil
	}
	return p.Hash()
}

// Digest returns the hex SHA-256 of all texts, each with its length. In a plan it replaces texts
// that are too long or secret.
func Digest(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
