package cli

import (
	"encoding/json"
	"fmt"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// savedPlan reads the output of `plan -o json` for the target that it was made for.
func savedPlan(path string, target journal.Target) (*runner.WholePlan, error) {
	text, err := runner.PlanLimits().ReadFile(path)
	if err != nil {
		return nil, noPlan(path, "cannot be read", err)
	}
	doc, err := parsePlan(path, text)
	if err != nil {
		return nil, err
	}
	if doc.Target != target {
		return nil, &fault.Error{Class: fault.Usage, Reason: "WrongTarget", Object: "file " + path,
			Seen:   fmt.Sprintf("is for %s %s/%s with UID %s", doc.Target.Kind, doc.Target.Namespace, doc.Target.Name, doc.Target.UID),
			Wanted: fmt.Sprintf("%s %s/%s with UID %s", target.Kind, target.Namespace, target.Name, target.UID)}
	}
	return &doc.WholePlan, nil
}

// parsePlan parses a Plan document, and returns an error if it was edited.
func parsePlan(path string, text []byte) (planDocument, error) {
	var doc planDocument
	if err := runner.PlanLimits().DecodeJSON(text, &doc); err != nil {
		return doc, noPlan(path, "is no plan", err)
	}
	if doc.APIVersion != view.APIVersion || doc.Kind != "Plan" || len(doc.Steps) == 0 {
		return doc, noPlan(path, fmt.Sprintf("holds kind %q of %q with %d steps", doc.Kind, doc.APIVersion, len(doc.Steps)), nil)
	}
	if doc.Hash == "" {
		return doc, noPlan(path, "names no hash, as a plan made with --offline or by an older awsmigrate does not", nil)
	}
	now, err := doc.sealed()
	if err != nil {
		return doc, noPlan(path, "cannot be named", err)
	}
	var printed struct {
		Steps json.RawMessage `json:"steps"`
	}
	if err := json.Unmarshal(text, &printed); err != nil {
		return doc, noPlan(path, "is no plan", err)
	}
	if now.Text, err = runner.TextHash(printed.Steps); err != nil {
		return doc, noPlan(path, "cannot be named", err)
	}
	edited := ""
	switch {
	case now.Hash != doc.Hash:
		edited = fmt.Sprintf("says that it is plan %q, and what it holds is %s", doc.Hash, now.Hash)
	case now.Text != doc.Text:
		edited = fmt.Sprintf("shows other texts, diffs or notes of its steps than plan %s did", doc.Hash)
	default:
		return doc, nil
	}
	return doc, &fault.Error{Class: fault.Usage, Reason: "PlanEdited", Object: "file " + path, Seen: edited,
		Wanted: "a plan as `awsmigrate rke2 plan -o json` printed it", Fix: "make a new plan"}
}

// sealed returns the document with the identities of its plan.
func (d planDocument) sealed() (planDocument, error) {
	var err error
	if d.Hash, err = d.WholePlan.Hash(); err != nil {
		return d, err
	}
	d.Text, err = runner.TextHash(d.Steps)
	return d, err
}

func noPlan(path, seen string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: "NoPlan", Object: "file " + path, Seen: seen,
		Wanted: "what `awsmigrate rke2 plan -o json` printed", Err: err}
}
