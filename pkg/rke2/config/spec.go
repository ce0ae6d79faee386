package config

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Spec is what a provisioning.cattle.io/v1 Cluster, or the RKEControlPlane that
// Rancher copies it to, says about its machines. It holds every key of the
// configuration as it was read; treat it as read-only and use edits.Edit.Apply.
type Spec struct {
	Object             string // "Cluster fleet-default/demo"
	Name               string
	KubernetesVersion  string         // "v1.26.15+rke2r1"
	Global             map[string]any // machineGlobalConfig; nil when absent or null
	Entries            []Entry        // machineSelectorConfig, in order; nil when absent or null
	AdditionalManifest string
	HasManifest        bool     // additionalManifest is there, empty or not
	Mirrors            []Mirror // registries.mirrors
	Pools              []Pool
	Upgrade            UpgradeStrategy
	PSACT              string // name of the pod security admission configuration template, "" without one
	SnapshotGeneration int64  // etcdSnapshotCreate.generation, 0 without one

	Root string // JSON pointer to what holds machineGlobalConfig
}

// Entry is one element of machineSelectorConfig.
type Entry struct {
	Config    map[string]any
	HasConfig bool // false: config is absent or null, the entry does nothing
	// Selector is nil when absent, and the entry then matches every machine.
	Selector *metav1.LabelSelector
	// Strays are keys beside config and machineLabelSelector. Rancher ignores
	// them; they come from a snippet in its documentation that is indented wrongly.
	Strays []string

	RawSelector any // as it was read, for the test in a patch
}

// Shape is an entry as it is in the Cluster object.
func (e Entry) Shape() map[string]any {
	out := map[string]any{"config": e.Config}
	if e.RawSelector != nil {
		out["machineLabelSelector"] = e.RawSelector
	}
	return out
}

// Pool is a machine pool. The fields are those that a migration judges.
type Pool struct {
	Name                       string
	Quantity                   int64
	ControlPlane, Etcd, Worker bool
	Labels                     map[string]string
	OS                         string // "linux" when absent
	Paused                     bool
	UnhealthyNodeTimeout       string // duration, "" without one: no machine health check
	MaxUnhealthy               string
}

// UpgradeStrategy is rkeConfig.upgradeStrategy. A concurrency is "" (1), a
// number ("0": no limit) or a percentage.
type UpgradeStrategy struct {
	ControlPlaneConcurrency string
	WorkerConcurrency       string
	ControlPlaneDrain       Drain
	WorkerDrain             Drain
}

// Drain is what Rancher does to a node before it changes its plan. Without
// Enabled and without hooks it neither cordons nor uncordons
// (rancher/rancher:pkg/capr/planner/drain.go@v2.8.5).
type Drain struct {
	Enabled         bool
	IgnoreErrors    bool
	PreDrainHooks   int
	PostDrainHooks  int
	TimeoutSeconds  int64
	DeleteEmptyDirs bool
}

// Cordons says whether Rancher cordons, and in the end uncordons, the nodes.
func (d Drain) Cordons() bool { return d.Enabled || d.PreDrainHooks > 0 || d.PostDrainHooks > 0 }

// Place is where a map of RKE2 keys is kept: machineGlobalConfig, or the config
// of one entry of machineSelectorConfig. A later place beats an earlier one.
type Place int

const (
	// Global is machineGlobalConfig.
	Global Place = -1
	// Default is what Rancher sets before it looks at the user's configuration.
	Default Place = -2
)

// String is the field path below rkeConfig.
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

// EntryName is the field path of an entry below rkeConfig.
func EntryName(i int) string { return fmt.Sprintf("machineSelectorConfig[%d]", i) }

// Location is one key in one place.
type Location struct {
	Place Place
	Key   string
}

// String is the field path below rkeConfig, as in
// "machineSelectorConfig[0].config.kubelet-arg".
func (l Location) String() string { return l.Place.String() + "." + l.Key }

// ValuesAt is the map at a place, nil where there is none.
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

// AllPlaces are all places, weakest first.
func (s Spec) AllPlaces() []Place {
	all := []Place{Global}
	for i := range s.Entries {
		all = append(all, Place(i))
	}
	return all
}
