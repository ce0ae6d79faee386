package config

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Topic groups findings, so that a check can pick its own.
type Topic string

const (
	// LeaderElection is a kube-controller-manager that does not elect, or elsewhere.
	LeaderElection Topic = "leader-election"
	// LeaderElectionTiming is durations other than the defaults, which change how long a
	// hand-over takes.
	LeaderElectionTiming Topic = "leader-election-timing"
	// MigrationFile is a leader-migration configuration file that cannot be read
	// from here.
	MigrationFile Topic = "leader-migration-config"
	// FatalGate is a feature gate that stops the component now.
	FatalGate Topic = "fatal-gate"
	// FatalGateNext is a feature gate that stops the component from 1.27 on.
	FatalGateNext Topic = "fatal-gate-next"
	// MigrationOff is a feature gate that turns something off that a migration needs.
	MigrationOff Topic = "gate-off"
	// Controllers is kube-controller-manager's list of controllers.
	Controllers Topic = "controllers"
	// Untagged works in-tree without a cluster tag, not under the cloud
	// controller manager.
	Untagged Topic = "untagged"
	// Routes is what the route controller does today.
	Routes Topic = "routes"
	// ExplicitProvider is cloud-provider among a component's arguments, which
	// beats cloud-provider-name.
	ExplicitProvider Topic = "explicit-provider"
	// MisIndented is an entry without config, with keys beside it.
	MisIndented Topic = "mis-indented"
	// Idle is a place that sets a key we edit and wins for no machine.
	Idle Topic = "idle"
	// DroppedValue is a key we edit whose value Rancher drops.
	DroppedValue Topic = "dropped"
)

// Finding is one thing in the configuration that a migration must know.
type Finding struct {
	Topic    Topic
	Location string
	Machines []string // for which it is in force
	Seen     string
	Why      string
	Fix      string
}

// StrayEntries are entries whose keys sit beside config instead of under it,
// as Rancher's documentation prints its control-plane override in versions 2.8
// to 2.15, and what is left of them once they are written: a selector without
// configuration. The CRD lets nothing else through beside config and
// machineLabelSelector (rancher/rancher:pkg/crds/yaml/generated/
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
		f.Seen = "has a selector and no configuration: keys beside config are dropped when an entry is written"
		if len(e.Strays) > 0 {
			f.Seen = "has keys beside config: " + strings.Join(e.Strays, ", ")
		}
		out = append(out, f)
	}
	return out
}

// editedKeys are the keys that edits here write.
func editedKeys() []string {
	return []string{KeyProvider, KeyDisableCCM, KeyKubeletArg, KeyManagerArg}
}

// IdleSettings are places that set a key we edit and win for no machine: edits
// leave them alone, and a machine that joins later may get them.
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

// DroppedSettings are values of keys we edit that Rancher drops for a machine
// that should have them. What only servers take is no finding on a worker.
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

// findings joins what is the same for several machines.
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
