package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// componentKeys returns the argument keys of the components that read feature gates.
func componentKeys() []string {
	return []string{KeyManagerArg, KeyAPIServerArg, keySchedulerArg, KeyKubeletArg}
}

// UnsafeArgs returns arguments in force on some machine that block or affect a migration at the
// cluster's current Kubernetes version.
func UnsafeArgs(s Spec, machines []Machine) ([]Finding, error) {
	version, err := component.ParseVersion(s.KubernetesVersion)
	if err != nil {
		return nil, &fault.Error{Class: fault.Check, Reason: "BadField", Object: s.Object,
			Seen: fmt.Sprintf("kubernetesVersion %q", s.KubernetesVersion), Wanted: "a version such as v1.26.15+rke2r1"}
	}
	var out findings
	for _, m := range machines {
		c := Effective(s, m)
		for _, key := range componentKeys() {
			if !runsComponent(m, key) {
				continue
			}
			at := c[key].Location.String()
			report := func(f Finding) {
				f.Location = at
				out.add(m, f)
			}
			args := c.Args(key)
			judgeGates(args, key, version, report)
			judgeExplicitProvider(args, key, report)
			if key == KeyManagerArg {
				judgeManagerArgs(args, report)
			}
		}
	}
	return out, nil
}

// runsComponent reports whether a machine runs the component that a key configures.
func runsComponent(m Machine, key string) bool { return key == KeyKubeletArg || m.ControlPlane() }

// judgeGates judges the feature gates that stop a component, and those that disable something
// that a migration needs, by their own name or by a group.
func judgeGates(args []string, key string, version component.Version, report func(Finding)) {
	given := gatesOf(args)
	for _, gate := range component.MigrationGates() {
		if on, named := given[gate]; named {
			judgeNamedGate(given, gate, on, version, report)
		}
	}
	judgeGroupGates(given, key, version, report)
}

// judgeNamedGate judges a gate that is set by its own name.
func judgeNamedGate(given component.Gates, gate string, on bool, version component.Version, report func(Finding)) {
	f := Finding{Seen: fmt.Sprintf("%s %s=%t", component.FeatureGates, gate, on), Fix: "remove this gate"}
	next := f
	next.Topic, next.Why = FatalGateNext, "Kubernetes 1.27 and later stop at a gate they do not know; remove it before that upgrade"
	switch why := given.Fatal(gate, version); {
	case why != "":
		f.Topic, f.Why = FatalGate, why
		report(f)
	case !on:
		f.Topic, f.Why = MigrationOff, gateOffEffect(gate)
		report(f)
	}
	if !version.AtLeast(1, 27) {
		report(next)
	}
}

// judgeGroupGates judges the gates that AllAlpha or AllBeta disables. Only
// kube-controller-manager has leader migration.
func judgeGroupGates(given component.Gates, key string, version component.Version, report func(Finding)) {
	off := map[string][]string{}
	for _, gate := range component.MigrationGates() {
		pair := given.Off(gate, version)
		if strings.HasPrefix(pair, "All") && (gate != component.GateLeaderMigration || key == KeyManagerArg) {
			off[pair] = append(off[pair], gate)
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(off)) {
		report(Finding{Topic: MigrationOff, Seen: component.FeatureGates + " " + pair,
			Why: "it switches off " + strings.Join(off[pair], ", ") + ": " + gateOffEffect(off[pair][0]), Fix: "remove " + pair})
	}
}

// gateOffEffect describes the effect of a disabled gate.
func gateOffEffect(gate string) string {
	if gate == component.GateLeaderMigration {
		return "the leader-migration flag is refused at start"
	}
	return "in-tree EBS volumes stop working once the provider is external"
}

// gatesOf returns the feature gates of a component's arguments.
func gatesOf(args []string) component.Gates {
	var lists []string
	for _, a := range args {
		if notation.FlagName(a) == component.FeatureGates {
			lists = append(lists, notation.FlagValue(a))
		}
	}
	return component.ParseGates(lists...)
}

func judgeExplicitProvider(args []string, key string, report func(Finding)) {
	v, ok := notation.Last(args, FlagProvider)
	if !ok || key == keySchedulerArg {
		return
	}
	f := Finding{Topic: ExplicitProvider, Seen: FlagProvider + "=" + v, Why: "it beats " + KeyProvider, Fix: "remove it unless it is meant"}
	if key == KeyAPIServerArg {
		f.Why = "kube-apiserver does not need it, and from 1.33 stops at it"
	}
	report(f)
}

func judgeManagerArgs(args []string, report func(Finding)) {
	flag := func(topic Topic, name, why, fix string) {
		if v, ok := notation.Last(args, name); ok {
			report(Finding{Topic: topic, Seen: name + "=" + v, Why: why, Fix: fix})
		}
	}
	if _, ok := notation.Last(args, "leader-elect"); ok && !notation.On(args, "leader-elect") {
		flag(LeaderElection, "leader-elect", "without leader election the leader-migration flag is ignored and every controller runs unprotected", "remove it")
	}
	for _, name := range []string{"leader-elect-resource-namespace", "leader-elect-resource-name", "leader-elect-resource-lock"} {
		flag(LeaderElection, name, "the cloud controller manager must wait on the same lock", "remove it")
	}
	for _, name := range []string{"leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period"} {
		flag(LeaderElectionTiming, name, "it changes how long the hand-over takes", "")
	}
	flag(MigrationFile, "leader-migration-config", "the file replaces the default; with nodeipam, other names or another leader name in it the two sides do not exclude each other", "remove it, or compare the file on every control plane")
	untagged := "allow-untagged-cloud"
	if notation.On(args, untagged) {
		flag(Untagged, untagged, "the cloud controller manager stops when the instance has no cluster tag", "tag instances, subnets and one security group")
	}
	flag(Routes, "cluster-cidr", "the route controller of the cloud controller manager needs the same value", "")
	flag(Routes, "configure-cloud-routes", "it decides whether routes are kept in the VPC today", "")
	flag(Routes, "allocate-node-cidrs", "without it no routes are kept", "")
	judgeControllers(args, report)
}

// judgeControllers judges a list that omits a controller to hand over: a name with - disables
// one, and a list without * disables all others.
func judgeControllers(args []string, report func(Finding)) {
	v, ok := notation.Last(args, "controllers")
	if !ok {
		return
	}
	names := strings.Split(v, ",")
	var off []string
	for _, want := range []string{"service", "route", "cloud-node-lifecycle", "nodeipam"} {
		if slices.Contains(names, "-"+want) || (!slices.Contains(names, "*") && !slices.Contains(names, want)) {
			off = append(off, want)
		}
	}
	f := Finding{Topic: Controllers, Seen: "controllers=" + v, Why: "a separate list of controllers", Fix: "remove it unless it is meant"}
	if len(off) > 0 {
		f.Why = "off in kube-controller-manager today: " + strings.Join(off, ", ")
	}
	report(f)
}
