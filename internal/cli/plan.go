package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/internal/build"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/cli/view/verifyview"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// planDocument is what `plan -o json` prints.
type planDocument struct {
	view.TypeMeta
	Target      journal.Target     `json:"target"`
	Observation runner.Observation `json:"observation"`
	Header      []string           `json:"header"`
	// Hash names the plan by its basis and by what its steps write.
	Hash string `json:"hash,omitempty"`
	runner.WholePlan
	// Cost is what the steps that are to do come to.
	Cost    *runner.Cost     `json:"cost,omitempty"`
	Pending bool             `json:"pending"`
	Next    string           `json:"next,omitempty"`    // the command that carries the plan out; left out: nothing is to do
	Offline *offlineDocument `json:"offline,omitempty"` // with --offline: what cluster.yml alone tells
	Checks  *planChecks      `json:"checks,omitempty"`
}

// planChecks are the checks that the preflight of a run would make now; with --offline
// those that the file alone decides.
type planChecks struct {
	Counts  map[verify.Status]int `json:"counts"`
	Results []verify.Result       `json:"results,omitempty"` // those that fail, warn or are unknown
	Stops   []view.FaultDocument  `json:"stops,omitempty"`   // what would stop the run
	Code    int                   `json:"code"`              // the exit code: with --offline, and else with --detailed-exitcode
}

// planFlags say what a plan shows.
type planFlags struct {
	Handoff  string `flag:"handoff"`
	All      bool   `flag:"all"`
	Detailed bool   `flag:"detailed-exitcode"`
	Diff     bool   `flag:"diff"`
}

// newPlan is the plan command of a distribution.
func newPlan(a *app, named string, flags target.Flags) *cobra.Command {
	show := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan " + named,
		Short: "Show what a run would do, step by step, and write nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkOutput(documentFormats()...); err != nil {
				return err
			}
			switch {
			case show.Handoff != "":
				return handOff(cmd.Context(), a, flags, show.Handoff, show.All)
			case show.All:
				return fault.AsUsage(errors.New("flag --all: wanted with --handoff"))
			}
			return planMigration(cmd.Context(), a, flags, asPlan{detailed: show.Detailed, diff: show.Diff, typed: typedWords(cmd)})
		},
	}
	target.Define(cmd.Flags(), options.Plan, show)
	addOutputFlag(cmd, a, documentFormats())
	return cmd
}

// asPlan is how a plan is shown.
type asPlan struct {
	detailed bool        // the exit code says what was found
	diff     bool        // the lines of every object
	typed    []typedFlag // what else the command that carries it out takes
}

func planMigration(ctx context.Context, a *app, flags target.Flags, as asPlan) error {
	s, words, err := target.Open(ctx, flags, a.opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	seen, observation, plan, err := runner.PlanAll[migration.Snapshot](ctx, s.Procedure, s.Counted())
	if err != nil {
		return err
	}
	plan.Version = build.This().String()
	foreseen, err := s.Procedure.Foresee(ctx, seen)
	if err != nil {
		return err
	}
	plan.Steps = counted(plan.Steps, foreseen)
	pending := observation.Pending()
	if pending && foreseen.Stops == nil { // also where a step is in progress, and of an undo
		foreseen.Stops = s.Procedure.RequireInformed(seen)
	}
	outcome := foreseen.Stops
	if pending {
		outcome = errors.Join(outcome, &fault.Error{Class: fault.Pending, Reason: "Pending", Seen: "steps are still to do"})
	}
	doc := planDocument{TypeMeta: view.KindOf("Plan"), Target: s.Procedure.Target(), Observation: observation,
		Header: withRestore(s.Procedure.Header(seen), plan.Basis), WholePlan: plan, Pending: pending, Checks: newPlanChecks(foreseen, outcome)}
	if pending {
		doc.Next = carryOut(words, as.typed)
	}
	if err := doc.write(a, foreseen, as.diff); err != nil {
		return err
	}
	if as.detailed {
		return view.Shown(outcome)
	}
	return nil
}

// write prints the plan, as text or as a document.
func (d planDocument) write(a *app, foreseen procedure.Foreseen, diff bool) error {
	if a.output == "text" {
		view.WritePlan(a.streams, d.Header, d.Steps, diff)
		view.WriteForeseen(a.streams, foreseen.Lines(), foreseen.Stops)
		if foreseen.Stops == nil {
			view.WriteNext(a.streams, d.Next)
		}
		return nil
	}
	var err error
	if d.Hash, err = d.WholePlan.Hash(); err != nil {
		return err
	}
	cost := runner.CostOf(d.Steps)
	d.Cost = &cost
	return view.WriteDocument(a.streams.Out, a.output, d)
}

// withRestore adds what whoever reads a plan has to know first.
func withRestore(header []string, basis runner.Basis) []string {
	if !basis.Restored {
		return header
	}
	return append(slices.Clone(header), "note   the journal counts less than the cluster itself: Rancher was restored from an older backup, or the journal was deleted (docs/after-a-restore.md)")
}

// counted puts the counts of the checks into the row of the preflight. No saved
// plan is compared by it: that step changes nothing.
func counted(steps []runner.PlannedStep, seen procedure.Foreseen) []runner.PlannedStep {
	steps = slices.Clone(steps)
	for i := range steps {
		if steps[i].ID == migration.StepPreflight && steps[i].State.Kind == runner.Always && seen.Counts() != "" {
			steps[i].Summary = []string{strings.Join(append(slices.Clone(steps[i].Summary), seen.Counts()), ": ")}
		}
	}
	return steps
}

func newPlanChecks(seen procedure.Foreseen, outcome error) *planChecks {
	doc := &planChecks{Counts: seen.Report.Counts, Results: verifyview.TidyReport(verify.Report{Results: seen.Results()}).Results, Code: view.ExitCode(outcome)}
	if doc.Counts == nil {
		doc.Counts = map[verify.Status]int{}
	}
	if seen.Stops != nil {
		doc.Stops = view.Faults(seen.Stops)
	}
	return doc
}

// handOff prints what whoever keeps the configuration has to commit next, and nothing
// else on standard output: it goes into a file.
func handOff(ctx context.Context, a *app, flags target.Flags, form string, all bool) error {
	if a.output != "text" {
		return fault.AsUsage(fmt.Errorf("flag --handoff: prints a fragment; wanted -o text"))
	}
	s, _, err := target.Open(ctx, flags, a.opening(), session.ReadOnly)
	if err != nil {
		return err
	}
	kept, err := s.Journal.Load(ctx)
	if err != nil {
		return err
	}
	seen, _, err := s.Look(ctx, kept.Record()) // in the middle of an undo the next edit goes back
	if err != nil {
		return err
	}
	text, err := s.Procedure.Handoff(ctx, seen, form, all)
	if err != nil {
		return err
	}
	if text == "" {
		fmt.Fprintln(a.streams.Err, "nothing is left to commit")
		return nil
	}
	fmt.Fprint(a.streams.Out, text)
	fmt.Fprintln(a.streams.Err, procedure.NeverAlone) // not every form has room for it
	return nil
}
