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

// gateHistory holds the minor versions of Kubernetes 1 in which a gate became alpha, beta,
// locked to true, and was removed. 0 means: not in the versions read.
type gateHistory struct{ alpha, beta, locked, removed int }

// historyOf returns when a gate changed its stage
// (kubernetes/kubernetes:pkg/features/kube_features.go@v1.22.17, v1.23.17, v1.24.17,
// v1.25.16, v1.26.13, v1.27.16, v1.29.10, v1.30.6, v1.31.2, v1.33.13).
func historyOf(gate string) gateHistory {
	return map[string]gateHistory{
		GateCSIMigration:    {alpha: 14, beta: 17, locked: 25, removed: 27},
		GateCSIMigrationAWS: {alpha: 14, beta: 17, locked: 25, removed: 27},
		GateLeaderMigration: {alpha: 21, beta: 22, locked: 24, removed: 27},
		GateNoProviders:     {alpha: 22, beta: 29, locked: 31, removed: 33},
		GateNoKubeletCreds:  {alpha: 23, beta: 29, locked: 31, removed: 33},
	}[gate]
}

// umbrella returns the gate that sets an unnamed gate (AllAlpha or AllBeta), or "".
func umbrella(gate string, v Version) string {
	h := historyOf(gate)
	switch {
	case v.Major != 1 || h.alpha == 0 || v.Minor < h.alpha || h.locked > 0 && v.Minor >= h.locked:
		return ""
	case v.Minor >= h.beta:
		return "AllBeta"
	}
	return "AllAlpha"
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

// Fatal returns why the named value of a gate keeps a component of a version from starting,
// or "". AllAlpha and AllBeta exist in every version and set no locked gate.
func (g Gates) Fatal(gate string, v Version) string {
	on, named := g[gate]
	h := historyOf(gate)
	switch {
	case !named || h.locked == 0:
	case h.removed > 0 && v.AtLeast(1, h.removed):
		return v.String() + " does not know it and exits"
	case !on && v.AtLeast(1, h.locked):
		return "it is locked on in " + v.String() + ", which exits"
	}
	return ""
}
