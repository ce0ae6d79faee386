package inventory

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Fleet holds all clusters of one Rancher.
type Fleet struct {
	// Rancher is its version, or empty if it could not be read.
	Rancher string `json:"rancher,omitempty"`
	// Rows are sorted by namespace and name.
	Rows []Row `json:"clusters"`
	// Unread lists what could not be read from Rancher itself. Rows may be incomplete or missing
	// then.
	Unread []Stop `json:"unread,omitempty"`
}

// Row describes one cluster.
type Row struct {
	// Namespace and Name are those of Rancher's provisioning Cluster; for an RKE cluster, this is
	// the mirror named c-xxxxx.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// DisplayName is the name that people use, if it differs.
	DisplayName string `json:"displayName,omitempty"`
	// ID is the cluster's ID in Rancher's URLs: c-m-xxxxxxxx, c-xxxxx or local.
	ID           string       `json:"id,omitempty"`
	Distribution Distribution `json:"distribution"`
	// Version is the configured Kubernetes version, or the observed one if Rancher does not
	// configure it.
	Version string `json:"kubernetesVersion,omitempty"`
	// Provider is the configured cloud provider of the control planes; several are separated by
	// commas. It is empty if none is configured, or Rancher does not configure it.
	Provider string `json:"provider,omitempty"`
	// InTree reports whether a control plane is configured for the in-tree AWS provider.
	InTree bool `json:"inTreeAWS"`
	// Position is P0 to P5 or unknown, or empty if the cluster was not asked.
	Position string `json:"position,omitempty"`
	// Summary describes the position in words.
	Summary string `json:"summary,omitempty"`
	State   State  `json:"state"`
	// Step is the first pending step.
	Step journal.StepID `json:"step,omitempty"`
	// Undoing reports whether the last run was an undo, and Step is a step of it.
	Undoing bool `json:"undoing,omitempty"`
	// Owners lists the tools that manage the configuration.
	Owners []Owner `json:"owners"`
	// Stops lists what prevents a run, or prevents reading the cluster.
	Stops []Stop `json:"stops"`
	// Run is the run that holds the cluster's lock, if any.
	Run *runner.Account `json:"run,omitempty"`
	// Migration is the cluster's ClusterMigration, if that kind is served.
	Migration *Migration `json:"migration,omitempty"`
	// Next is the command that continues or shows details.
	Next string `json:"next,omitempty"`
	// Labels are those of Rancher's provisioning Cluster.
	Labels map[string]string `json:"-"`
	// Runs are those of the journal, whose options Next repeats.
	Runs []journal.Run `json:"-"`
}

// Owner is a tool that manages a cluster's configuration.
type Owner struct {
	Name string `json:"name"`
	Mark string `json:"mark"` // the evidence
}

// Migration holds the goal and the displayed state of a ClusterMigration.
type Migration struct {
	Goal    string `json:"goal"`
	State   string `json:"state,omitempty"`
	Message string `json:"message,omitempty"`
}

// Stop describes one obstacle for a migration, or for reading the cluster.
type Stop struct {
	Reason string `json:"reason,omitempty"` // stable, for machines
	Object string `json:"object,omitempty"`
	Seen   string `json:"seen"`
	Fix    string `json:"fix,omitempty"`
	// CouldNotLook reports whether the state of the cluster is unknown because of it.
	CouldNotLook bool `json:"couldNotLook,omitempty"`
}

// State is the state of a cluster for a user who wants to migrate it.
type State string

const (
	// None has nothing to migrate, or Rancher does not configure it.
	None State = "none"
	// NotAsked may have something to migrate, and was not asked.
	NotAsked State = "not-asked"
	// NotBegun is at P0, without any trace of a migration.
	NotBegun State = "not-begun"
	// Begun has finished steps and pending steps.
	Begun State = "begun"
	// Done has no pending step.
	Done State = "done"
	// Locked is locked by a run.
	Locked State = "locked"
	// Stopped needs a person; Stops has the reasons.
	Stopped State = "stopped"
	// Unknown could not be read completely; Stops has the reasons.
	Unknown State = "unknown"
)

// States returns all states.
func States() []State {
	return []State{None, NotAsked, NotBegun, Begun, Done, Locked, Stopped, Unknown}
}

// Release returns the version without the distribution's suffix: v1.26.13.
func (r Row) Release() string {
	release, _, _ := strings.Cut(r.Version, "+")
	release, _, _ = strings.Cut(release, "-")
	return release
}

// Mixed reports whether the control planes are configured for several providers.
func (r Row) Mixed() bool { return strings.Contains(r.Provider, providerSeparator) }

// Migratable reports whether awsmigrate can migrate the cluster, and has something to do there or
// has done it.
func (r Row) Migratable() bool {
	return Known{Distribution: r.Distribution}.Migratable() && r.State != None
}

// Unlooked reports whether the cluster could not be read completely.
func (r Row) Unlooked() bool { return r.State == Unknown }

// Unlooked returns the number of clusters that could not be read completely.
func (f Fleet) Unlooked() int {
	n := 0
	for _, row := range f.Rows {
		if row.Unlooked() {
			n++
		}
	}
	return n
}
