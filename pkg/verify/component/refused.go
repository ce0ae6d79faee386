package component

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Argument is one flag of a component with its value.
type Argument struct{ Flag, Value string }

// Refusal describes an argument at which a component exits.
type Refusal struct {
	Seen string // the flag, its value, or the gate
	Why  string // continues the name of the component: "1.31.2 does not know it and exits"
}

// RefusedArguments returns the arguments at which a component of a version exits: unknown
// flags, values that a flag cannot hold, and unknown or locked feature gates. It returns nil for
// a version before the table. RefusedProvider judges the cloud provider of kube-apiserver.
func RefusedArguments(program string, args []Argument, v Version) []Refusal {
	names, covered := standFor(v)
	if !covered || !slices.Contains(Programs(), program) {
		return nil
	}
	var found []Refusal
	gates := Gates{}
	for _, arg := range args {
		kind, known := flagType(program, arg.Flag, names)
		switch {
		case !known:
			found = append(found, Refusal{arg.Flag, v.String() + " does not know it and exits"})
		case !readable(kind, arg.Value):
			found = append(found, Refusal{arg.Flag + "=" + arg.Value, v.String() + " reads " + article(kind) + " there and exits"})
		case arg.Flag == FeatureGates && setsEachList(program, v):
			found = append(found, ParseGates(arg.Value).Refused(program, v)...)
		case arg.Flag == FeatureGates:
			maps.Copy(gates, ParseGates(arg.Value))
		}
	}
	return append(found, gates.Refused(program, v)...)
}

// setsEachList reports whether a component of a version sets the gates of each --feature-gates as it
// reads it. Others set the sum of all, in which the last value of a gate counts
// (k8s.io/component-base:featuregate/feature_gate.go AddFlag, up to 1.30; registry.go from 1.31).
func setsEachList(program string, v Version) bool {
	return !v.AtLeast(1, 31) && program != Kubelet && program != Proxy
}

// readable reports whether a flag of a type can hold a value. Types that are not listed hold
// every text, as far as the parser of the command line is concerned.
func readable(kind, value string) bool {
	if strings.HasPrefix(value, redactedPrefix) {
		return true
	}
	var err error
	switch kind {
	case "bool":
		_, err = strconv.ParseBool(value)
	case "int", "int64":
		_, err = strconv.ParseInt(value, 0, 64)
	case "int32":
		_, err = strconv.ParseInt(value, 0, 32)
	case "Level": // klog's
		_, err = strconv.ParseInt(value, 10, 32)
	case "uint", "uint64":
		_, err = strconv.ParseUint(value, 0, 64)
	case "uint16":
		_, err = strconv.ParseUint(value, 0, 16)
	case "uint32":
		_, err = strconv.ParseUint(value, 0, 32)
	case "float32", "float64":
		_, err = strconv.ParseFloat(value, 64)
	case "duration":
		_, err = time.ParseDuration(value)
	case "ip":
		return value == "" || net.ParseIP(strings.TrimSpace(value)) != nil
	case "mapStringBool", gateListType:
		return readableGates(value)
	}
	return err == nil
}

// redactedPrefix begins a value that a bundle does not show; it cannot be judged.
const redactedPrefix = "REDACTED"

// gateListType is the type of --feature-gates where a list can name the component of a gate:
// "kube:A=true". Only kube is registered.
const gateListType = "colonSeparatedMultimapStringString"

// readableGates reports whether every pair of a list has a name and a boolean.
func readableGates(list string) bool {
	for _, pair := range strings.Split(list, ",") {
		if pair == "" {
			continue
		}
		_, value, ok := strings.Cut(pair, "=")
		if _, err := strconv.ParseBool(strings.TrimSpace(value)); !ok || err != nil {
			return false
		}
	}
	return true
}

// article returns a type of a flag for a sentence.
func article(kind string) string {
	switch kind {
	case "bool":
		return "a boolean"
	case "duration":
		return "a duration"
	case "ip":
		return "an IP address"
	case "mapStringBool", gateListType:
		return "pairs of a gate and a boolean"
	}
	return "a number"
}

// Refused returns the gates at which a component of a version exits, in the order of their names:
// unknown ones, locked ones that are set to the other value, and those that leave a gate
// without another one that it needs.
func (g Gates) Refused(program string, v Version) []Refusal {
	if _, covered := standFor(v); !covered {
		return nil
	}
	var found []Refusal
	for _, gate := range slices.Sorted(maps.Keys(g)) {
		switch state, known := gateOf(gate, v); {
		case !known || !state.knownTo(program):
			found = append(found, Refusal{FeatureGates + " " + gate, v.String() + " does not know it and exits"})
		case state.locked && g[gate] != state.on:
			found = append(found, Refusal{FeatureGates + " " + gate + "=" + strconv.FormatBool(g[gate]), v.String() + " has it locked " + state.position() + " and exits"})
		}
	}
	return append(found, g.missingNeeds(v)...)
}

// missingNeeds returns the gates that are on in a version without a gate that they need
// (k8s.io/component-base:featuregate/feature_gate.go@v0.35.1, where such needs begin).
func (g Gates) missingNeeds(v Version) []Refusal {
	names, covered := standFor(v)
	if !covered || len(g) == 0 {
		return nil
	}
	var found []Refusal
	all := needsOf(names)
	for _, gate := range slices.Sorted(maps.Keys(all)) {
		for _, need := range all[gate] {
			if !g.decides(gate, v) && !g.decides(need, v) || !g.enabled(gate, v) || g.enabled(need, v) {
				continue
			}
			pair := g.Off(need, v)
			if pair == "" {
				pair = g.cause(gate, v) + "=true"
			}
			found = append(found, Refusal{FeatureGates + " " + pair, v.String() + " needs " + need + " for " + gate + " and exits"})
		}
	}
	return found
}

// decides reports whether the value of a gate comes from g, not from its default.
func (g Gates) decides(gate string, v Version) bool { return g.cause(gate, v) != "" }

// cause returns the gate that decides about another one: itself, its umbrella, or "".
func (g Gates) cause(gate string, v Version) string {
	if _, named := g[gate]; named {
		return gate
	}
	all := umbrella(gate, v)
	if _, named := g[all]; named {
		return all
	}
	return ""
}

// enabled reports whether a gate is on in a version.
func (g Gates) enabled(gate string, v Version) bool {
	if cause := g.cause(gate, v); cause != "" {
		return g[cause]
	}
	state, _ := gateOf(gate, v)
	return state.on
}

// Fatal returns why the named value of a gate keeps a component of a version from starting,
// or "".
func (g Gates) Fatal(gate string, v Version) string {
	on, named := g[gate]
	_, covered := standFor(v)
	if !named || !covered {
		return ""
	}
	switch state, known := gateOf(gate, v); {
	case !known:
		return v.String() + " does not know it and exits"
	case state.locked && on != state.on:
		return "it is locked " + state.position() + " in " + v.String() + ", which exits"
	}
	return ""
}

// RefusedProvider returns why kube-apiserver of a version exits at a --cloud-provider, or "".
// pair is the feature gate that it refuses together with external, or "".
// Source: kubernetes/kubernetes:pkg/kubeapiserver/options/cloudprovider.go@v1.28.15 (no rule),
// v1.29.10, v1.30.6, v1.31.2, v1.32.9; v1.33.5 has no such file.
func RefusedProvider(provider string, gates Gates, v Version) (why, pair string) {
	refused := fmt.Sprintf("%s of %s refuses %s=%s", wellknown.APIServer, v, CloudProvider, provider)
	switch {
	case !v.AtLeast(1, 29) || v.AtLeast(1, 33) || provider == "":
		return "", ""
	case provider == ProviderExternal:
		for _, gate := range []string{GateNoProviders, GateNoKubeletCreds} {
			if pair := gates.Off(gate, v); pair != "" {
				return refused + " with " + FeatureGates + "=" + pair, pair
			}
		}
		return "", ""
	case provider == "gce" || v.Minor == 29 && (provider == "azure" || provider == "vsphere"): // as IsDeprecatedInternal of k8s.io/cloud-provider
		if gates.Off(GateNoProviders, v) != "" && gates.Off(GateNoKubeletCreds, v) != "" {
			return "", ""
		}
	}
	return refused, ""
}
