package inventory

import (
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Distribution describes how a cluster was made, as far as that decides who configures it. A
// hosted cluster has the name of Rancher's driver, such as EKS.
type Distribution string

const (
	// RKE2 is provisioned by Rancher.
	RKE2 Distribution = "RKE2"
	// K3s is provisioned by Rancher.
	K3s Distribution = "K3s"
	// RKE is a cluster for which Rancher runs rke.
	RKE Distribution = "RKE"
	// Imported is a cluster that Rancher knows but does not configure.
	Imported Distribution = "imported"
	// Local is the cluster that Rancher itself runs in.
	Local Distribution = "local"
	// NotKnown is a cluster whose Rancher object could not be read.
	NotKnown Distribution = "unknown"
)

// Configured cloud providers. RKE has more names of external ones, which all begin with
// "external".
const (
	providerInTree   = "aws"
	providerExternal = "external"
)

// Known holds what Rancher's own objects show of a cluster.
type Known struct {
	Namespace, Name, DisplayName, ID string

	Distribution Distribution
	Version      string
	Providers    []string // of the control planes, each once; empty if not configured
	Owners       []migration.Owner
	Labels       map[string]string // of the provisioning Cluster
	Deleting     bool
}

// Migratable reports whether awsmigrate can migrate clusters of this kind.
func (k Known) Migratable() bool { return k.Distribution == RKE2 || k.Distribution == RKE }

// InTree reports whether a control plane is configured for the in-tree AWS provider.
func (k Known) InTree() bool { return slices.Contains(k.Providers, providerInTree) }

// External reports whether a control plane is configured for an external provider.
func (k Known) External() bool {
	return slices.ContainsFunc(k.Providers, func(p string) bool { return strings.HasPrefix(p, providerExternal) })
}

// OnItsWay reports whether a migration may concern the cluster: it is in-tree, or external with a
// trace of awsmigrate. Without a trace, the external provider may belong to any cloud.
func (k Known) OnItsWay(traced bool) bool {
	return k.Migratable() && (k.InTree() || k.External() && traced)
}

// Facts holds everything that was read about one cluster.
type Facts struct {
	Known

	Now time.Time
	// Journal is the cluster's journal, or nil if there is no journal.
	Journal *journal.State
	// Held is the cluster's lock, or nil if it is free.
	Held *lock.Held
	// DiedHere reports whether this machine proves that the lock's owner has ended.
	DiedHere bool
	// Paused lists what stops Rancher from rolling the cluster, including a pause by a run.
	Paused []migration.PendingCondition
	// Migration is the cluster's ClusterMigration, or nil.
	Migration *Migration
	// Seen holds the observation of the cluster itself, or nil if it was not read or did not
	// answer.
	Seen *Seen
	// Errs holds the errors of reading the cluster. An error of class Check means that something
	// was read and is wrong; other errors mean that it was not read.
	Errs []error
}

// account returns who works on the cluster, or nil.
func (f Facts) account() *runner.Account {
	var st journal.State
	if f.Journal != nil {
		st = *f.Journal
	}
	return runner.AccountOf(st, f.Held, f.DiedHere, f.Now)
}

// Seen holds what a cluster itself shows.
type Seen struct {
	Position position.Result
	Step     journal.StepID // the first pending step, or empty
	Undoing  bool           // the step belongs to an undo
}

// Traced reports whether awsmigrate has worked on the cluster, or has been asked to.
func (f Facts) Traced() bool { return f.Journal != nil || f.Migration != nil || f.Held != nil }
