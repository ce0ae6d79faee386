package cli

import (
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
	hash, err := doc.WholePlan.Hash()
	if err != nil {
		return doc, noPlan(path, "cannot be named", err)
	}
	if hash != doc.Hash {
		return doc, &fault.Error{Class: fault.Usage, Reason: "PlanEdited", Object: "file " + path, Seen: fmt.Sprintf("says that it is plan %q, and what it holds is %s", doc.Hash, hash),
			Wanted: "a plan as `awsmigrate rke2 plan -o json` printed it", Fix: "make a new plan"}
	}
	return doc, nil
}

func noPlan(path, seen string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: "NoPlan", Object: "file " + path, Seen: seen,
		Wanted: "what `awsmigrate rke2 plan -o json` printed", Err: err}
}
