package controller

import (
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Meter takes what happens, for whoever counts it: internal/controller/metrics does. Its
// methods return at once, and are called from several goroutines. A cluster has one job at
// most, so that Began, Happened and Ended need no name for it.
type Meter interface {
	// Shown is what an object says of its cluster by now.
	Shown(Key, Shown)
	// Gone: there is no object of that name. What rolls is still watched.
	Gone(Key)
	// Began, Happened and Ended are the job of a cluster. Ended may come without Began.
	Began(Key, Work)
	Happened(Key, runner.Event)
	Ended(Key, error)
}

// Shown is a moment of an object.
type Shown struct {
	State        status.State
	Reason       status.Reason                   // "": the state's name
	Distribution string                          // "": not known yet
	Before       v1alpha1.ClusterMigrationStatus // what the object said until now
	Now          v1alpha1.ClusterMigrationStatus
}

// Work is what a job is for.
type Work struct {
	Kind    string // look, run or guard
	Undo    bool   // of a run
	Resumed bool   // of a run: it goes on where one before it did not come to its end
}

// workOf is a job that is about to begin. k is locked.
func workOf(k *cluster, j *job) Work {
	return Work{Kind: string(j.kind), Undo: j.undo, Resumed: j.kind == running && k.look != nil && unfinished(k.look.seen.Journal)}
}

// unfinished says whether the last run or guard did not come to its end.
func unfinished(state journal.State) bool {
	n := len(state.Runs)
	return n > 0 && state.Runs[n-1].Outcome != "done"
}

// measure tells the meter what is about to be shown. k is locked.
func (c *Controller) measure(k *cluster, m *v1alpha1.ClusterMigration, at status.Moment, next v1alpha1.ClusterMigrationStatus) {
	s := Shown{State: at.State, Reason: at.Reason, Before: m.Status, Now: next}
	if k.look != nil {
		s.Distribution = string(k.look.target.Kind)
	}
	c.o.Meter.Shown(k.key, s)
}

// unmeasured is the Meter of a controller that nobody asks for metrics.
type unmeasured struct{}

func (unmeasured) Shown(Key, Shown)           {}
func (unmeasured) Gone(Key)                   {}
func (unmeasured) Began(Key, Work)            {}
func (unmeasured) Happened(Key, runner.Event) {}
func (unmeasured) Ended(Key, error)           {}
