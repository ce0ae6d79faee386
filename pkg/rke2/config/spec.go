package config

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Spec holds the machine configuration of a provisioning.cattle.io/v1 Cluster, or of the
// RKEControlPlane that Rancher copies it to. It holds every key of the configuration as it was
// read. Treat it as read-only and use edits.Edit.Apply.
type Spec struct {
	Object             string // "Cluster fleet-default/demo"
	Name               string
	KubernetesVersion  string         // "v1.26.15+rke2r1"
	Global             map[string]any // machineGlobalConfig; nil if absent or null
	Entries            []Entry        // machineSelectorConfig, in order; nil if absent or null
	AdditionalManifest string
	HasManifest        bool     // whether additionalManifest exists, even if empty
	Mirrors            []Mirror // registries.mirrors
	Pools              []Pool
	Upgrade            UpgradeStrategy
	PSACT              string // name of the pod security admission configuration template, or empty
	SnapshotGeneration int64  // etcdSnapshotCreate.generation, or 0

	Root string // JSON pointer to the parent of machineGlobalConfig
}

// Entry is an element of machineSelectorConfig.
type Entry struct {
	Config    map[string]any
	HasConfig bool // false if config is absent or null; the entry then has no effect
	// Selector is nil if absent; the entry then matches every machine.
	Selector *metav1.LabelSelector
	// Strays holds the keys next to config and machineLabelSelector. Rancher ignores them. They
	// come from a wrongly indented example in its documentation.
	Strays []string

	RawSelector any // as read, for the test in a patch
}

// Shape returns the entry as it is in the Cluster object.
func (e Entry) Shape() map[string]any {
	out := map[string]any{"config": e.Config}
	if e.RawSelector != nil {
		out["machineLabelSelector"] = e.RawSelector
	}
	return out
}

// Pool is a machine pool, with the fields that a migration judges.
type Pool struct {
	Name                       string
	Quantity                   int64
	ControlPlane, Etcd, Worker bool
	Labels                     map[string]string
	OS                         string // "linux" if absent
	Paused                     bool
	UnhealthyNodeTimeout       string // duration; empty means no machine health check
	MaxUnhealthy               string
	ConfigKind, ConfigName     string // machineConfigRef, or empty
	// Autoscaled reports whether Rancher's cluster-autoscaler changes the size of the pool, from
	// Rancher 2.13 on.
	Autoscaled bool `json:",omitempty"`
}

// UpgradeStrategy is rkeConfig.upgradeStrategy. A concurrency is empty (1), a number ("0" for no
// limit) or a percentage.
type UpgradeStrategy struct {
	ControlPlaneConcurrency string
	WorkerConcurrency       string
	ControlPlaneDrain       Drain
	WorkerDrain             Drain
}

// Drain describes what Rancher does to a node before it changes its plan. If Enabled is false and
// there are no hooks, Rancher neither cordons nor uncordons
// (rancher/rancher:pkg/capr/planner/drain.go@v2.8.5).
type Drain struct {
	Enabled         bool
	IgnoreErrors    bool
	PreDrainHooks   int
	PostDrainHooks  int
	TimeoutSeconds  int64
	DeleteEmptyDirs bool
}

// Cordons reports whether Rancher cordons, and finally uncordons, the nodes.
func (d Drain) Cordons() bool { return d.Enabled || d.PreDrainHooks > 0 || d.PostDrainHooks > 0 }

// Place identifies a map of RKE2 keys: machineGlobalConfig, or the config of one entry of
// machineSelectorConfig. A later place overrides an earlier one.
type Place int

const (
	// Global is machineGlobalConfig.
	Global Place = -1
	// Default holds the values that Rancher sets before it reads the user's configuration.
	Default Place = -2
)

// String returns the field path below rkeConfig.
func (p Place) String() string {
	switch p {
	case Global:
		return "machineGlobalConfig"
	case Default:
		return "Rancher's default"
	default:
		return fmt.Sprintf("machineSelectorConfig[%d].config", int(p))
	}
}

// EntryName returns the field path of an entry below rkeConfig.
func EntryName(i int) string { return fmt.Sprintf("machineSelectorConfig[%d]", i) }

// Location identifies one key in one place.
type Location struct {
	Place Place
	Key   string
}

// String returns the field path below rkeConfig, as in
// "machineSelectorConfig[0].config.kubelet-arg".
func (l Location) String() string { return l.Place.String() + "." + l.Key }

// ValuesAt returns the map at a place, or nil.
func (s Spec) ValuesAt(p Place) map[string]any {
	switch {
	case p == Global:
		return s.Global
	case p >= 0 && int(p) < len(s.Entries):
		return s.Entries[p].Config
	default:
		return nil
	}
}

// AllPlaces returns all places, weakest first.
func (s Spec) AllPlaces() []Place {
	all := []Place{Global}
	for i := range s.Entries {
		all = append(all, Place(i))
	}
	return all
}
