package component

import (
	"strconv"
	"strings"
)

// Feature gates that a migration depends on.
const (
	GateCSIMigration    = "CSIMigration"
	GateCSIMigrationAWS = "CSIMigrationAWS"
	GateLeaderMigration = "ControllerManagerLeaderMigration"
	GateNoProviders     = "DisableCloudProviders"
	GateNoKubeletCreds  = "DisableKubeletCloudCredentialProviders" //nolint:gosec // a gate's name
)

// MigrationGates lists the gates that Kubernetes removed in 1.27.
func MigrationGates() []string {
	return []string{GateLeaderMigration, GateCSIMigrationAWS, GateCSIMigration}
}

// Gates maps the feature gates of --feature-gates to their values.
type Gates map[string]bool

// ParseGates reads lists such as "A=true,B=false". Lists add up; the last value of a
// repeated gate counts.
func ParseGates(lists ...string) Gates {
	gates := Gates{}
	for _, list := range lists {
		for _, pair := range strings.Split(list, ",") {
			name, value, ok := strings.Cut(pair, "=")
			if on, err := strconv.ParseBool(strings.TrimSpace(value)); ok && err == nil {
				gates[strings.TrimSpace(name)] = on
			}
		}
	}
	return gates
}

// umbrella returns the gate that sets an unnamed gate (AllAlpha or AllBeta), or "".
func umbrella(gate string, v Version) string {
	switch state, _ := gateOf(gate, v); {
	case state.locked:
	case state.stage == "beta":
		return "AllBeta"
	case state.stage == "alpha":
		return "AllAlpha"
	}
	return ""
}

// Off returns the pair that disables a gate in a version, or "". A gate's own name overrides
// AllAlpha and AllBeta, in any order
// (k8s.io/component-base:featuregate/feature_gate.go@v0.26.13). EBS migration also needs
// CSIMigration (kubernetes/kubernetes:pkg/volume/csimigration/plugin_manager.go@v1.24.17).
func (g Gates) Off(gate string, v Version) string {
	if on, named := g[gate]; named && !on {
		return gate + "=false"
	} else if !named {
		all := umbrella(gate, v)
		if on, named := g[all]; named && !on {
			return all + "=false"
		}
	}
	if gate == GateCSIMigrationAWS {
		return g.Off(GateCSIMigration, v)
	}
	return ""
}
