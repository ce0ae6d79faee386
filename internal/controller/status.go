package controller

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// minStatusInterval is the minimum time between two statuses of a cluster during a job. It allows
// ten a minute.
const minStatusInterval = 6 * time.Second

// show returns the object with a new status, or nil if the status is unchanged or must wait. The
// caller holds k.mu.
func (c *Controller) show(k *cluster, m *v1alpha1.ClusterMigration, at status.Moment) *v1alpha1.ClusterMigration {
	if m == nil || !m.DeletionTimestamp.IsZero() && k.job == nil {
		return nil
	}
	next := c.statusOf(k, m, at)
	c.measure(k, m, at, next)
	if equality.Semantic.DeepEqual(next, m.Status) {
		return nil
	}
	now := c.o.Clock.Now()
	if rest := minStatusInterval - now.Sub(k.shown); rest > 0 && k.job != nil {
		c.enqueueAfter(k.key, rest)
		return nil
	}
	changed := m.DeepCopy()
	changed.Status, k.shown = next, now
	return changed
}

// write writes the status of m, which may be nil.
func (c *Controller) write(m *v1alpha1.ClusterMigration) error {
	if m == nil {
		return nil
	}
	_, err := c.objects[m.Namespace].UpdateStatus(m)
	switch {
	case apierrors.IsConflict(err): // the cache is outdated: its next event enqueues the object
		c.enqueueAfter(Key{Namespace: m.Namespace, Name: m.Name}, time.Second)
		return nil
	case apierrors.IsNotFound(err):
		return nil
	}
	return err
}

// statusOf computes the status from scratch.
func (c *Controller) statusOf(k *cluster, m *v1alpha1.ClusterMigration, at status.Moment) v1alpha1.ClusterMigrationStatus {
	at.Generation = m.Generation
	s := v1alpha1.ClusterMigrationStatus{ObservedGeneration: m.Generation}
	if last := k.audits.last; last != nil {
		s.Position, s.Audit = last.Position, auditOf(*last)
	}
	if l := k.look; l != nil && l.err == nil && !l.gone {
		if l.seen.Unplaced == nil {
			s.Position = l.seen.Says.Position
		}
		s.DisplayName, s.Plan, s.History, s.Handoff = l.seen.DisplayName, shownPlan(l), history(l.seen.Journal), handoffOf(l)
		at.Owner = agreement(l)
	} else { // keep the last known values
		s.DisplayName, s.Position = m.Status.DisplayName, m.Status.Position
		s.Plan, s.History, s.Handoff = m.Status.Plan, m.Status.History, m.Status.Handoff
	}
	if k.job != nil && k.job.kind != kindLook {
		s.Run = k.job.statusRun()
		s.Position = cmp.Or(k.job.knownPosition(), s.Position)
		if s.Run.Step != nil && at.Message == "" {
			at.Message = k.job.line()
		}
	}
	s.Failure = c.failureOf(k, m)
	s.Display, s.Conditions = at.Display(), at.Conditions(m.Status.Conditions, c.o.Clock.Now())
	status.Fit(&s)
	return s
}

func agreement(l *look) status.Agreement {
	switch {
	case reverted(l.seen):
		return status.Agreement{State: metav1.ConditionFalse}
	case len(l.seen.Journal.Intents) > 0:
		return status.Agreement{State: metav1.ConditionTrue}
	}
	return status.Agreement{}
}

func shownPlan(l *look) *v1alpha1.Plan {
	if l.plan.Hash == "" {
		return nil
	}
	p := &v1alpha1.Plan{Hash: l.plan.Hash, Version: l.seen.Plan.Version, Ref: l.plan.Ref}
	for _, step := range l.seen.Plan.Steps {
		one := v1alpha1.PlannedStep{ID: string(step.ID), State: string(step.State.Kind)}
		if len(step.Summary) > 0 {
			one.Summary = step.Summary[0]
		}
		p.Steps = append(p.Steps, one)
	}
	return p
}

// statusRun returns the job for a status. The step is a copy, because the run continues.
func (j *job) statusRun() *v1alpha1.Run {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &v1alpha1.Run{ID: j.run, Direction: "forward"}
	if j.undo {
		r.Direction = "back"
	}
	if j.step != nil {
		r.Step = j.step.DeepCopy()
	}
	return r
}

// knownPosition returns the position at which the current step of a run began, or "" if it is unknown.
func (j *job) knownPosition() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.position == position.Unknown.String() {
		return ""
	}
	return j.position
}

// line describes the job in one line.
func (j *job) line() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := j.title
	if j.step != nil && j.step.WaitingFor != "" {
		line += ": waiting for " + j.step.WaitingFor + "; seen: " + j.step.Seen
	}
	return line
}

// inStep names the current step. It changes less often than line.
func (j *job) inStep() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.step == nil {
		return "begins"
	}
	return "step " + j.step.ID
}

// failureOf returns the error of the last run for this object while it is current, or nil.
func (c *Controller) failureOf(k *cluster, m *v1alpha1.ClusterMigration) *v1alpha1.Failure {
	err := k.failed.err
	if err == nil || k.failed.attempt != attempt(m) {
		return nil
	}
	f := &v1alpha1.Failure{Reason: "Unexpected", Seen: err.Error(), ExitCode: int64(c.o.ExitCode(err))}
	if of, ok := fault.As(err); ok {
		f.Reason, f.Object, f.Seen, f.Wanted, f.Fix = of.Reason, of.Object, of.Seen, of.Wanted, of.Fix
	}
	return f
}

// history returns the finished runs of the journal, latest first.
func history(state journal.State) []v1alpha1.PastRun {
	var past []v1alpha1.PastRun
	for _, run := range slices.Backward(state.Runs) {
		if run.End == "" && run.Outcome == "" {
			continue // it works, or its end is unknown
		}
		one := v1alpha1.PastRun{ID: run.ID, Result: run.Outcome, StartedAt: timeOf(run.Start), EndedAt: timeOf(run.End)}
		for _, yes := range state.Approvals {
			if yes.Run == run.ID && yes.Plan != "" {
				one.Plan = yes.Plan
			}
		}
		past = append(past, one)
	}
	return past
}

func timeOf(text string) metav1.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return metav1.Time{}
	}
	return metav1.NewTime(at.UTC())
}

func auditOf(a Audited) *v1alpha1.Audit {
	counts := a.Report.Counts
	s := &v1alpha1.Audit{
		At: metav1.NewTime(a.At.UTC().Truncate(time.Second)), OK: int64(counts[verify.OK]), Warn: int64(counts[verify.Warn]),
		Fail: int64(counts[verify.Fail]), Skip: int64(counts[verify.Skip]), Unknown: int64(counts[verify.Unknown]),
	}
	for _, result := range a.Report.With(verify.Fail) {
		one := v1alpha1.FailingCheck{ID: result.ID, Title: result.Title}
		for _, finding := range result.Findings {
			if finding.Status == verify.Fail {
				one.Object = finding.Object
				break
			}
		}
		s.Failing = append(s.Failing, one)
	}
	return s
}
