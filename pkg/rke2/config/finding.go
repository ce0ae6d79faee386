package config

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Topic groups findings, so that a check can select its own.
type Topic string

const (
	// LeaderElection marks a kube-controller-manager with leader election off or elsewhere.
	LeaderElection Topic = "leader-election"
	// LeaderElectionTiming marks durations other than the defaults, which change how long a
	// hand-over takes.
	LeaderElectionTiming Topic = "leader-election-timing"
	// MigrationFile marks a leader-migration configuration file that cannot be read from here.
	MigrationFile Topic = "leader-migration-config"
	// FatalGate marks a feature gate that stops the component now.
	FatalGate Topic = "fatal-gate"
	// FatalGateNext marks a feature gate that stops the component from 1.27 on.
	FatalGateNext Topic = "fatal-gate-next"
	// MigrationOff marks a feature gate that disables something that a migration needs.
	MigrationOff Topic = "gate-off"
	// Controllers marks kube-controller-manager's list of controllers.
	Controllers Topic = "controllers"
	// Untagged marks a setting that works in-tree without a cluster tag, but not under the cloud
	// controller manager.
	Untagged Topic = "untagged"
	// Routes marks the current work of the route controller.
	Routes Topic = "routes"
	// ExplicitProvider marks cloud-provider among a component's arguments, which overrides
	// cloud-provider-name.
	ExplicitProvider Topic = "explicit-provider"
	// MisIndented marks an entry without config that has keys next to it.
	MisIndented Topic = "mis-indented"
	// Idle marks a place that sets an edited key and wins for no machine.
	Idle Topic = "idle"
	// DroppedValue marks an edited key whose value Rancher drops.
	DroppedValue Topic = "dropped"
)

// Finding describes a fact of the configuration that a migration must know.
type Finding struct {
	Topic    Topic
	Location string
	Machines []string // affected machines
	Seen     string
	Why      string
	Fix      string
}

// StrayEntries returns entries whose keys are next to config instead of below it, as in the
// control-plane override of Rancher's documentation for versions 2.8 to 2.15. It also returns
// their remains after a write: a selector without configuration, because the CRD preserves
// nothing else next to config and machineLabelSelector (rancher/rancher:pkg/crds/yaml/generated/
// provisioning.cattle.io_clusters.yaml@v2.12.3).
func StrayEntries(s Spec) []Finding {
	var out []Finding
	for i, e := range s.Entries {
		if len(e.Strays) == 0 && (len(e.Config) > 0 || e.Selector == nil) {
			continue
		}
		f := Finding{Topic: MisIndented, Location: EntryName(i),
			Why: "Rancher reads only config and machineLabelSelector here, so the entry does less than it seems to",
			Fix: "indent the keys under config:, or remove the entry"}
		f.Seen = "has a selector and no configuration: keys next to config are dropped when an entry is written"
		if len(e.Strays) > 0 {
			f.Seen = "has keys next to config: " + strings.Join(e.Strays, ", ")
		}
		out = append(out, f)
	}
	return out
}

// editedKeys returns the keys that our edits write.
func editedKeys() []string {
	return []string{KeyProvider, KeyDisableCCM, KeyKubeletArg, KeyManagerArg}
}

// IdleSettings returns places that set an edited key and win for no machine. Edits leave them
// unchanged, and a machine that joins later may get them.
func IdleSettings(s Spec, machines []Machine) []Finding {
	wins := map[Location]bool{}
	for _, m := range machines {
		c := Effective(s, m)
		for _, k := range editedKeys() {
			wins[c[k].Location] = true
		}
	}
	var out []Finding
	for _, p := range s.AllPlaces() {
		for _, k := range editedKeys() {
			at := Location{p, k}
			v, set := s.ValuesAt(p)[k]
			if !set || wins[at] {
				continue
			}
			out = append(out, Finding{Topic: Idle, Location: at.String(), Seen: string(notation.Canonical(v)),
				Why: "no machine has this value today, so it is not edited; a machine that joins later could get it",
				Fix: "remove it, or write the value of the other machines"})
		}
	}
	return out
}

// DroppedSettings returns values of edited keys that Rancher drops for a machine that should have
// them. Keys for servers only are no finding on a worker.
func DroppedSettings(s Spec, machines []Machine) []Finding {
	var out findings
	for _, m := range machines {
		for _, k := range editedKeys() {
			v, ok := Effective(s, m)[k]
			if _, serverOnly := serverKey(k); !ok || v.Dropped == "" || (serverOnly && !m.Server()) {
				continue
			}
			out.add(m, Finding{Topic: DroppedValue, Location: v.Location.String(), Seen: notation.TypeName(v.Raw),
				Why: "Rancher drops it: " + v.Dropped, Fix: "write a string, a boolean or a list, or remove it"})
		}
	}
	return out
}

// findings merges equal findings of several machines.
type findings []Finding

func (f *findings) add(m Machine, one Finding) {
	i := slices.IndexFunc(*f, func(o Finding) bool {
		return o.Topic == one.Topic && o.Location == one.Location && o.Seen == one.Seen
	})
	if i < 0 {
		one.Machines = []string{m.Name}
		*f = append(*f, one)
		return
	}
	(*f)[i].Machines = append((*f)[i].Machines, m.Name)
}
