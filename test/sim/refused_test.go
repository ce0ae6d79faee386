package sim

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// looker is the part of a procedure that verify, status and plan use.
type looker interface {
	migration.Procedure
	Gather(context.Context, migration.Snapshot) (audit.Inspection, error)
	GatherAPIOnly(context.Context, journal.Record) (audit.Inspection, error)
	Foresee(context.Context, migration.Snapshot) (procedure.Foreseen, error)
}

// gather observes a cluster and reads the input of its checks.
func gather(ctx context.Context, p looker, record journal.Record) (audit.Inspection, error) {
	seen, err := p.Observe(ctx, record)
	if err != nil {
		return audit.Inspection{}, err
	}
	return p.Gather(ctx, seen)
}

// plan observes a cluster and returns the steps of a run, and its obstacles.
func plan(ctx context.Context, p looker, journal journal.Journal) (says runner.Observation, steps []runner.PlannedStep, foreseen procedure.Foreseen, planErr, foreseeErr error) {
	seen, says, whole, planErr := runner.PlanAll[migration.Snapshot](ctx, p, journal)
	steps = whole.Steps
	if seen.Config == nil {
		return says, steps, foreseen, planErr, planErr
	}
	foreseen, foreseeErr = p.Foresee(ctx, seen)
	return says, steps, foreseen, planErr, foreseeErr
}

// look reads everything that verify, status and plan read, the journal first, and returns all
// errors and the report.
func (r Run) look(ctx context.Context, w *World, p *Process) (report verify.Report, err error) {
	procedure, home, err := r.open(ctx, w, p)
	if err != nil {
		return report, err
	}
	target := procedure.Target()
	journal := journal.NewConfigMap(home, target.Namespace, journal.Name(target.Name), target)
	state, journalErr := journal.Load(ctx)
	record := state.Record()
	record.Unread = journalErr
	seen := looker(procedure)
	inspection, gatherErr := gather(ctx, seen, record)
	partly := fault.ClassOf(gatherErr) == fault.CouldNotLook
	var partlyErr error
	if partly {
		inspection, partlyErr = seen.GatherAPIOnly(ctx, record)
	}
	if gatherErr == nil || partly && partlyErr == nil {
		report = verify.RunAll(ctx, inspection.Bound(), verify.Options{Position: inspection.Input.Position.Position})
		if reportErr := audit.JudgeReport(report, migration.Options{}); reportErr != nil {
			err = reportErr
		}
	}
	_, observeErr := seen.Observe(ctx, record)
	_, _, _, planErr, foreseeErr := plan(ctx, seen, journal)
	return report, errors.Join(journalErr, gatherErr, partlyErr, err, observeErr, planErr, foreseeErr)
}

// mixedUp maps an answer to the reason that it must not get. Expired credentials need no more
// rights, and a missing right needs no new credentials.
var mixedUp = map[Outcome]string{Denied: fault.ReasonUnauthorized, Stranger: "Forbidden"}

// Each request of the reading commands is refused in turn, as forbidden and as unauthenticated.
// Each error has a class, and none is lost. An unreadable journal costs only the comparisons with
// its fingerprint.
func TestLook_readIsRefused_hasClass(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[2], scenarios[inRancher]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.world()
			r := s.run
			r.ID, r.Until = runID(1), migration.StepInstall
			if ended := do(t, r, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			calls := map[string]bool{}
			if _, err := lookAt(t, s, w, func(c Call) Outcome { calls[c.String()] = true; return Pass }); err != nil {
				t.Fatalf("without refusals: %v", err)
			}
			var names []string
			for name := range calls {
				names = append(names, name)
			}
			sort.Strings(names)
			for _, name := range names {
				for outcome, what := range map[Outcome]string{Denied: "403", Stranger: "401", Absent: "404", Away: "503"} {
					report, err := lookAt(t, s, w, func(c Call) Outcome {
						if c.String() == name {
							return outcome
						}
						return Pass
					})
					for _, one := range leaves(err) {
						if fault.ClassOf(one) == fault.Unexpected {
							t.Errorf("%s: %s: no class for %v", name, what, one)
						}
						if f, ok := fault.As(one); ok && f.Reason == mixedUp[outcome] {
							t.Errorf("%s: %s: reason %s, %v", name, what, f.Reason, one)
						}
					}
					if isJournal(name) && outcome != Absent { // no comparison without a journal

						wantJournalUnknown(t, name+": "+what, report, err)
					}
				}
			}
			_, err := lookAt(t, s, w, func(c Call) Outcome {
				if c.Server == "file" {
					return Pass
				}
				return Denied
			})
			if fault.ClassOf(err) != fault.CouldNotLook {
				t.Errorf("all requests refused: %v", err)
			}
			t.Logf("counts: %s: %d requests, each refused in 4 ways", s.name, len(names))
		})
	}
}

func lookAt(t *testing.T, s scenario, w *World, before func(Call) Outcome) (report verify.Report, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		mine := w.clone()
		var mu sync.Mutex
		p := &Process{world: mine, die: cancel, Before: func(c Call) Outcome {
			mu.Lock()
			defer mu.Unlock()
			return before(c)
		}}
		r := s.run
		r.ID, r.Clock = runID(2), clock.RealClock{}
		pass(time.Until(mine.Now()))
		report, err = r.look(ctx, mine, p)
	})
	return report, err
}

func isJournal(name string) bool {
	return name == fmt.Sprintf("management GET /api/v1/namespaces/%s/configmaps/awsmigrate-%s", fleet, clusterName)
}

func wantJournalUnknown(t *testing.T, what string, report verify.Report, err error) {
	t.Helper()
	unknown := map[string]bool{}
	for _, result := range report.With(verify.Unknown) {
		unknown[result.ID] = true
	}
	for _, id := range []string{"AWSM-309", "AWSM-312", "AWSM-801"} {
		if !unknown[id] {
			t.Errorf("%s: %s is not unknown", what, id)
		}
	}
	if len(unknown) != 3 || len(report.With(verify.OK)) < 20 || fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("%s: unknown %v, %d ok, %v", what, unknown, len(report.With(verify.OK)), err)
	}
}

func leaves(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range joined.Unwrap() {
			all = append(all, leaves(one)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
