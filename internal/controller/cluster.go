package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Key names a cluster, its Cluster and its ClusterMigration alike.
type Key = types.NamespacedName

// cluster is the in-memory state of one cluster. It can be rebuilt at any time.
type cluster struct {
	key Key

	mu       sync.Mutex
	job      *job  // current job, or nil
	look     *look // the last look, or nil
	moved    bool  // the Cluster changed since the last look began
	wait     wait
	failed   failure
	awaits   failure // waits for a commit by the owner of the Cluster
	withdrew error   // the change of the object that ended the last run early, or nil
	audits   auditing
	guarded  time.Time // start of the last guard
	guardErr error     // error of the last guard
	shown    time.Time // last write of the status
	decided  decided   // the last decision, for rollouts
	known    bool      // a decision was made
}

// wait delays the next look at a cluster.
type wait struct {
	until time.Time
	why   string
	locks bool // another run holds the cluster's lock
	tries int  // consecutive failed attempts
}

// failure is the error of a run that ended before the journal recorded it. The same attempt is
// not repeated.
type failure struct {
	attempt string
	err     error
}

// look holds the readings of a cluster at one time, for one object.
type look struct {
	at      time.Time
	object  identity
	target  session.Target
	gone    bool // the Cluster does not exist or is being deleted
	audited bool // an audit was started after it
	seen    session.Assessment
	plan    plans.Planned
	edit    *v1alpha1.Reference // location of the edit that the owner must commit, or nil
	moves   string              // why Rancher itself is not at rest, or empty
	refused error               // why no run is possible for this object; rollouts are still watched
	err     error               // read error; nothing else is set then
}

// reached reports whether no step is left for the goal.
func (l *look) reached() bool { return l.seen.Unplaced == nil && !l.seen.Says.Pending() }

// ran returns the start and the end of the last run with a goal, or zero.
func (l *look) ran() (start, end time.Time) {
	last := lastRun(l.seen.Journal)
	if last == nil {
		return time.Time{}, time.Time{}
	}
	return timeOf(last.Start).Time, timeOf(last.End).Time // no end while it works
}

// identity identifies an object and its version.
type identity struct {
	uid        types.UID
	generation int64
	retry      string // value of RetryAnnotation
}

// decided is a decision about an object. The zero value is none.
type decided struct {
	about identity
	shown status.Moment
}

// RetryAnnotation on a ClusterMigration, with any new value, requests a retry after a failure.
const RetryAnnotation = "awsmigrate.io/retry"

func identityOf(m *v1alpha1.ClusterMigration) identity {
	if m == nil {
		return identity{}
	}
	return identity{uid: m.UID, generation: m.Generation, retry: m.Annotations[RetryAnnotation]}
}

// kind is the kind of a job.
type kind string

const (
	kindLook  kind = "look"
	kindRun   kind = "run"
	kindGuard kind = "guard"
	kindAudit kind = "audit" // next to the others
)

// job is the current work on one cluster.
type job struct {
	kind      kind
	undo      bool
	interrupt func() // requests a clean stop; may be called repeatedly

	mu       sync.Mutex
	run      string // ID of the run, or empty before it starts
	position string
	step     *v1alpha1.RunningStep
	title    string
}
