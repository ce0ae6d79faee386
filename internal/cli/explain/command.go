package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// New returns the command explain.
func New(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ID",
		Short: "Explain a step, a check, a position or the reason of an error, without a cluster",
		Long: `Prints the page of a step as this version has it, why a check is there and what to do
when it fails, where a cluster is at a position and what comes next, or what the
pages say of the reason that an error has. It contacts no server.`,
		Example: `  awsmigrate explain switch-provider
  awsmigrate explain AWSM-303
  awsmigrate explain P3
  awsmigrate explain NotReadyToSwitch`,
		Args:              cobra.ArbitraryArgs, // RunE checks them, in our words
		ValidArgsFunction: explainable,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.CheckOutput(usage.DocumentFormats()...); err != nil {
				return err
			}
			if err := oneID(args); err != nil {
				return err
			}
			found, err := Find(args[0])
			if err != nil {
				return err
			}
			if a.Output != "text" {
				return view.WriteDocument(a.Streams.Out, a.Output, found)
			}
			view.WriteExplanation(a.Streams, found)
			return nil
		},
	}
	usage.AddOutputFlag(cmd, a, usage.DocumentFormats())
	return cmd
}

// oneID returns an error unless one ID is given.
func oneID(args []string) error {
	if len(args) == 1 {
		return nil
	}
	seen := "no ID is given"
	if len(args) > 0 {
		seen = "several IDs are given: " + strings.Join(args, " ")
	}
	return &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "explain", Seen: seen, Wanted: "one of " + explainableIDs(), Fix: "awsmigrate explain P3"}
}

// explainableIDs describes what can be explained.
func explainableIDs() string {
	var steps []string
	for _, info := range slices.Concat(procedure.StepInfos(), procedure.UndoStepInfos()) {
		steps = append(steps, string(info.ID))
	}
	return fmt.Sprintf("the steps %s, %s, a position from P0 to P5, or a reason such as LockHeld", strings.Join(steps, ", "), checkRange())
}

// checkRange describes the IDs of checks.
func checkRange() string {
	var ids []string
	for _, meta := range checklist.All() {
		ids = append(ids, meta.ID)
	}
	return fmt.Sprintf("a check from %s to %s", slices.Min(ids), slices.Max(ids))
}

// checkNumber matches the ID of a check, with or without its prefix.
var checkNumber = regexp.MustCompile(`^([A-Za-z]+-)?[0-9]{3}$`)

// unknownID returns the error for an ID that nothing has.
func unknownID(id string, known []string) error {
	near := fault.DidYouMean(id, known)
	if near == "" && checkNumber.MatchString(id) {
		return &fault.Error{Class: fault.Usage, Reason: "UnknownID", Object: "\"" + id + "\"", Seen: "unknown check", Wanted: checkRange(),
			Fix: "see the list in " + verifyview.ChecksPage}
	}
	return &fault.Error{Class: fault.Usage, Reason: "UnknownID", Object: "\"" + id + "\"", Seen: "neither a step nor a check, a position or the reason of an error",
		Wanted: "one of " + explainableIDs(), Fix: near}
}

// explainCheck returns a check without the texts that depend on the kind of cluster, and its
// variants with them. If there is only one variant, it returns the whole check.
func explainCheck(meta verify.Meta) (*verify.Meta, []view.CheckVariant) {
	variants := checklist.Variants(meta.ID)
	if len(variants) == 1 {
		return &meta, nil
	}
	var texts []view.CheckVariant
	for _, v := range variants {
		texts = append(texts, view.CheckVariant{Kinds: v.Kinds, Why: v.Meta.Why, Fix: v.Meta.Fix, Source: v.Meta.Source})
	}
	meta.Why, meta.Fix, meta.Source = "", "", ""
	return &meta, texts
}

// Find returns the explanation of an ID, in any case. A check may be named by its number alone.
func Find(id string) (view.Explanation, error) {
	doc := view.Explanation{TypeMeta: view.KindOf("Explanation")}
	for _, p := range position.All() {
		if strings.EqualFold(p.String(), id) {
			on, back := procedure.StepsAt(p)
			doc.Position = view.NewExplainedPosition(p, on, back)
			return doc, nil
		}
	}
	var steps, ids []string
	for _, info := range append(procedure.StepInfos(), procedure.UndoStepInfos()...) {
		if string(info.ID) == id {
			doc.Step, doc.Page = &info, docPage(info.Doc)
			return doc, nil
		}
		steps = append(steps, string(info.ID))
	}
	for _, meta := range checklist.All() {
		if strings.EqualFold(meta.ID, id) || checkNumber.MatchString(id) && strings.HasSuffix(meta.ID, "-"+id) {
			doc.Check, doc.Variants = explainCheck(meta)
			return doc, nil
		}
		ids = append(ids, meta.ID)
	}
	if doc.Reason = explainReason(id); doc.Reason != nil {
		return doc, nil
	}
	return doc, unknownID(id, slices.Concat(steps, ids, reasons()))
}

// explainable offers everything that can be explained. Reasons are many, so they need a first
// character.
func explainable(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	words := usage.DescribedSteps(slices.Concat(procedure.StepInfos(), procedure.UndoStepInfos()))
	for _, p := range position.All() {
		words = append(words, cobra.CompletionWithDesc(p.String(), p.Summary()))
	}
	words = append(words, usage.DescribedChecks("", usage.EveryCheck)...)
	if typed != "" {
		words = append(words, reasons()...)
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
