package inventory

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Fleet is all clusters of one Rancher.
type Fleet struct {
	// Rancher is its version; "": it could not be read.
	Rancher string `json:"rancher,omitempty"`
	// Rows are sorted by namespace and name.
	Rows []Row `json:"clusters"`
	// Unread is what could not be read of Rancher itself, so that rows may lack something
	// or be missing.
	Unread []Stop `json:"unread,omitempty"`
}

// Row is one cluster.
type Row struct {
	// Namespace and Name are those of Rancher's Cluster object; of an RKE cluster, those of
	// the one that Rancher mirrors as c-xxxxx.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// DisplayName is what people call it, where that is another name.
	DisplayName string `json:"displayName,omitempty"`
	// ID is the one in Rancher's addresses: c-m-xxxxxxxx, c-xxxxx or local.
	ID           string       `json:"id,omitempty"`
	Distribution Distribution `json:"distribution"`
	// Version is of Kubernetes, as configured; where Rancher does not configure it, as seen.
	Version string `json:"kubernetesVersion,omitempty"`
	// Provider is the cloud provider that is configured for the control planes; several are
	// separated by commas. Left out: none, or Rancher does not configure it.
	Provider string `json:"provider,omitempty"`
	// InTree: a control plane is configured to run the in-tree AWS provider.
	InTree bool `json:"inTreeAWS"`
	// Position is P0 to P5 or unknown. Left out: the cluster was not asked.
	Position string `json:"position,omitempty"`
	// Summary says the position in words.
	Summary string `json:"summary,omitempty"`
	State   State  `json:"state"`
	// Step is the first one that is still to do.
	Step journal.StepID `json:"step,omitempty"`
	// Undoing: the last run went back, and the step is one of the way back.
	Undoing bool `json:"undoing,omitempty"`
	// Owners are the tools found that keep the configuration elsewhere.
	Owners []Owner `json:"owners"`
	// Stops is what keeps a run from going on, or the reader from knowing.
	Stops []Stop `json:"stops"`
	// Migration is the ClusterMigration of the cluster, where that kind is served.
	Migration *Migration `json:"migration,omitempty"`
	// Next is the command that goes on or looks closer.
	Next string `json:"next,omitempty"`
}

// Owner is a tool that keeps a cluster's configuration.
type Owner struct {
	Name string `json:"name"`
	Mark string `json:"mark"` // what tells
}

// Migration is what somebody wants of a cluster by a ClusterMigration, and what the
// controller shows of it.
type Migration struct {
	Goal    string `json:"goal"`
	State   string `json:"state,omitempty"`
	Message string `json:"message,omitempty"`
}

// Stop is one thing that stops a cluster, or that keeps it from being known.
type Stop struct {
	Reason string `json:"reason,omitempty"` // stable, for machines
	Object string `json:"object,omitempty"`
	Seen   string `json:"seen"`
	Fix    string `json:"fix,omitempty"`
	// CouldNotLook: it was not seen how the cluster is.
	CouldNotLook bool `json:"couldNotLook,omitempty"`
}

// State is how a cluster is to whoever wants to migrate it.
type State string

const (
	// None is a cluster that has nothing to migrate, or that Rancher does not configure.
	None State = "none"
	// NotAsked is a cluster that may have, and was not asked.
	NotAsked State = "not-asked"
	// NotBegun is P0, and nothing of a migration.
	NotBegun State = "not-begun"
	// Begun is a cluster with steps done and steps to do.
	Begun State = "begun"
	// Done is a cluster without a step to do.
	Done State = "done"
	// Locked is a cluster whose lock a run has.
	Locked State = "locked"
	// Stopped is a cluster that needs somebody; its stops say why.
	Stopped State = "stopped"
	// Unknown is a cluster of which something could not be looked at; its stops say what.
	Unknown State = "unknown"
)

// States are all of them.
func States() []State {
	return []State{None, NotAsked, NotBegun, Begun, Done, Locked, Stopped, Unknown}
}

// Release is the version without what the distribution adds to it: v1.26.13.
func (r Row) Release() string {
	release, _, _ := strings.Cut(r.Version, "+")
	release, _, _ = strings.Cut(release, "-")
	return release
}

// Mixed says whether the control planes are configured for several providers.
func (r Row) Mixed() bool { return strings.Contains(r.Provider, providerSeparator) }

// Unlooked says whether something of the cluster could not be looked at.
func (r Row) Unlooked() bool { return r.State == Unknown }

// Unlooked counts the clusters of which something could not be looked at.
func (f Fleet) Unlooked() int {
	n := 0
	for _, row := range f.Rows {
		if row.Unlooked() {
			n++
		}
	}
	return n
}
