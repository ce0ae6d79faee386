package inventory

import (
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Distribution is what a cluster was made with, as far as that decides who configures it.
// Hosted ones have the word of Rancher's driver, such as EKS.
type Distribution string

const (
	// RKE2 is provisioned by Rancher.
	RKE2 Distribution = "RKE2"
	// K3s is provisioned by Rancher.
	K3s Distribution = "K3s"
	// RKE is a cluster for which Rancher runs rke.
	RKE Distribution = "RKE"
	// Imported is any cluster that Rancher knows and does not configure.
	Imported Distribution = "imported"
	// Local is the one that Rancher itself runs in.
	Local Distribution = "local"
	// NotKnown is a cluster of which Rancher's own object could not be read.
	NotKnown Distribution = "unknown"
)

// Cloud providers as they are configured. RKE has further words for external ones, which
// begin with it.
const (
	providerInTree   = "aws"
	providerExternal = "external"
)

// Known is what Rancher's own objects say of a cluster.
type Known struct {
	Namespace, Name, DisplayName, ID string

	Distribution Distribution
	Version      string
	Providers    []string // of the control planes, each once; none: not configured
	Owners       []migration.Owner
	Deleting     bool
}

// Migratable says whether there is a procedure for clusters of its kind.
func (k Known) Migratable() bool { return k.Distribution == RKE2 || k.Distribution == RKE }

// InTree says whether a control plane is configured to run the in-tree AWS provider.
func (k Known) InTree() bool { return slices.Contains(k.Providers, providerInTree) }

// External says whether a control plane is configured to run none in-tree.
func (k Known) External() bool {
	return slices.ContainsFunc(k.Providers, func(p string) bool { return strings.HasPrefix(p, providerExternal) })
}

// OnItsWay says whether it may be on the way that a migration takes: in-tree, or external
// with a trace of ours. Without one an external provider may be any cloud's.
func (k Known) OnItsWay(traced bool) bool {
	return k.Migratable() && (k.InTree() || k.External() && traced)
}

// Facts are what was read of one cluster.
type Facts struct {
	Known

	Now time.Time
	// Journal is what awsmigrate keeps of it; nil: nothing.
	Journal *journal.State
	// Held is its lock; nil: nobody's.
	Held *lock.Held
	// Paused is what stops Rancher from rolling it, the brake of a run among it.
	Paused []migration.PendingCondition
	// Migration is its ClusterMigration; nil: there is none.
	Migration *Migration
	// Seen is what the cluster itself shows; nil: it was not asked, or did not answer.
	Seen *Seen
	// Errs is what could not be read, or was refused. Of class Check it was seen, and is
	// wrong; otherwise it was not seen.
	Errs []error
}

// Seen is what a cluster itself shows.
type Seen struct {
	Position position.Result
	Step     journal.StepID // the first one to do; "": none
	Undoing  bool           // it is one of the way back
}

// Traced says whether awsmigrate has been at work on it, or is wanted to be.
func (f Facts) Traced() bool { return f.Journal != nil || f.Migration != nil || f.Held != nil }
