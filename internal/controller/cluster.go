package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Key names a cluster: its Cluster and its ClusterMigration have the same.
type Key = types.NamespacedName

// cluster is what this process knows of one. All of it can be had again.
type cluster struct {
	key Key

	mu       sync.Mutex
	job      *job  // under way; nil: nothing
	look     *look // the last; nil: none
	moved    bool  // the Cluster changed since it began
	wait     wait
	failed   failure
	awaits   failure // for the commit of whoever keeps the Cluster
	withdrew error   // what of its object changed and ended the last run early; nil: nothing
	audit    *Audited
	recheck  time.Duration // another is due so long after it; 0: at its interval
	guarded  time.Time     // the last guard began
	guardErr error         // it ended with
	shown    time.Time     // the status was written
}

// wait is what keeps a cluster from being asked again at once.
type wait struct {
	until time.Time
	why   string
	locks bool // another run holds the cluster
	tries int  // in a row that did not get through
}

// failure is what ended a run before the journal had it: the same is not tried again.
type failure struct {
	attempt string
	err     error
}

// look is what was read of a cluster at one time, and for which object.
type look struct {
	at      time.Time
	object  identity
	target  session.Target
	gone    bool // there is no Cluster, or it is being deleted
	seen    session.Assessment
	plan    plans.Planned
	edit    *v1alpha1.Reference // where the edit is that somebody else is to commit; nil: none is due
	moves   string              // why Rancher itself is not at rest
	refused error               // why nothing is done for this object; what rolls is watched
	err     error               // it could not be read; nothing else is set
}

// identity is which object, in which form, something was made for.
type identity struct {
	uid        types.UID
	generation int64
	retry      string // the annotation RetryAnnotation
}

// RetryAnnotation on a ClusterMigration, with any new value, has what failed tried again.
const RetryAnnotation = "awsmigrate.io/retry"

func identityOf(m *v1alpha1.ClusterMigration) identity {
	if m == nil {
		return identity{}
	}
	return identity{uid: m.UID, generation: m.Generation, retry: m.Annotations[RetryAnnotation]}
}

// kind is what a job does.
type kind string

const (
	looking  kind = "look"
	running  kind = "run"
	guarding kind = "guard"
)

// job is work under way on one cluster.
type job struct {
	kind      kind
	undo      bool
	interrupt func() // asks it to stop cleanly; may be called again

	mu       sync.Mutex
	run      string // its ID; "": none yet
	position string
	step     *v1alpha1.RunningStep
	title    string
}
