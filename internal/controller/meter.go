package controller

import (
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Meter receives events for metrics; internal/controller/metrics implements it. Its methods
// return at once and may be called concurrently. A cluster has at most one job, so Began,
// Happened and Ended need no job ID.
type Meter interface {
	// Shown receives the new status of an object.
	Shown(Key, Shown)
	// Gone reports that the object does not exist. A rollout is still watched.
	Gone(Key)
	// RolledOut receives the status of a rollout, or nil when it is deleted.
	RolledOut(Key, *v1alpha1.MigrationRolloutStatus)
	// Began, Happened and Ended describe the job of a cluster. Ended may come without Began.
	Began(Key, Work)
	Happened(Key, runner.Event)
	Ended(Key, error)
}

// Shown is a status of an object.
type Shown struct {
	State        status.State
	Reason       status.Reason                   // if empty, the state's name
	Distribution string                          // empty if not known yet
	Before       v1alpha1.ClusterMigrationStatus // the previous status
	Now          v1alpha1.ClusterMigrationStatus
}

// Work describes a job.
type Work struct {
	Kind    string // look, run or guard
	Undo    bool   // of a run
	Resumed bool   // of a run: it continues an unfinished run
}

// workOf describes a job that is about to begin. The caller holds k.mu.
func workOf(k *cluster, j *job) Work {
	return Work{Kind: string(j.kind), Undo: j.undo, Resumed: j.kind == kindRun && k.look != nil && unfinished(k.look.seen.Journal)}
}

// unfinished reports whether the last run or guard did not finish.
func unfinished(state journal.State) bool {
	n := len(state.Runs)
	return n > 0 && state.Runs[n-1].Outcome != "done"
}

// measure reports the next status to the meter. The caller holds k.mu.
func (c *Controller) measure(k *cluster, m *v1alpha1.ClusterMigration, at status.Moment, next v1alpha1.ClusterMigrationStatus) {
	s := Shown{State: at.State, Reason: at.Reason, Before: m.Status, Now: next}
	if k.look != nil {
		s.Distribution = string(k.look.target.Kind)
	}
	c.o.Meter.Shown(k.key, s)
}

// noMeter is the Meter of a controller without metrics.
type noMeter struct{}

func (noMeter) Shown(Key, Shown)                                {}
func (noMeter) Gone(Key)                                        {}
func (noMeter) RolledOut(Key, *v1alpha1.MigrationRolloutStatus) {}
func (noMeter) Began(Key, Work)                                 {}
func (noMeter) Happened(Key, runner.Event)                      {}
func (noMeter) Ended(Key, error)                                {}
