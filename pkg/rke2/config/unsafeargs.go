package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// componentKeys are the argument keys of the components that read feature gates.
func componentKeys() []string {
	return []string{KeyManagerArg, KeyAPIServerArg, KeySchedulerArg, KeyKubeletArg}
}

// UnsafeArgs are arguments in force on some machine that a migration must not
// meet, or must know about, at the cluster's present Kubernetes version.
func UnsafeArgs(s Spec, machines []Machine) ([]Finding, error) {
	version, err := semver.NewVersion(s.KubernetesVersion)
	if err != nil {
		return nil, &fault.Error{Class: fault.Check, Reason: "BadField", Object: s.Object,
			Seen: fmt.Sprintf("kubernetesVersion %q", s.KubernetesVersion), Wanted: "a version such as v1.26.15+rke2r1"}
	}
	var out findings
	for _, m := range machines {
		c := Effective(s, m)
		for _, key := range componentKeys() {
			if !runs(m, key) {
				continue
			}
			at := c[key].Location.String()
			report := func(f Finding) {
				f.Location = at
				out.add(m, f)
			}
			args := c.Args(key)
			gates(args, version, report)
			explicitProvider(args, key, report)
			if key == KeyManagerArg {
				managerArgs(args, report)
			}
		}
	}
	return out, nil
}

// runs says whether a machine runs the component that a key is for.
func runs(m Machine, key string) bool { return key == KeyKubeletArg || m.ControlPlane() }

// gates judges the gates that stop a component. A gate that is locked stops it
// when set against the lock, one that is gone when it is named at all
// (kubernetes/kubernetes:pkg/features/kube_features.go at 1.21.14 to 1.27.16).
func gates(args []string, version *semver.Version, report func(Finding)) {
	minor := version.Minor()
	for _, g := range []struct {
		name   string
		locked uint64 // minor version from which it is locked on
		off    string // what turning it off does before that
	}{
		{"CSIMigrationAWS", 25, "in-tree EBS volumes stop working once the provider is external"},
		{"ControllerManagerLeaderMigration", 24, "the leader-migration flag is refused at start"},
	} {
		value, named := gate(args, g.name)
		if !named {
			continue
		}
		f := Finding{Seen: "feature-gates " + g.name + "=" + value, Fix: "remove this gate"}
		off := !notation.IsTrue(value)
		switch {
		case minor >= 27:
			f.Topic, f.Why = FatalGate, "Kubernetes 1.27 and later stop at a gate they do not know"
		case off && minor >= g.locked:
			f.Topic, f.Why = FatalGate, fmt.Sprintf("the gate is locked to true from 1.%d, the component does not start", g.locked)
		case off:
			f.Topic, f.Why = MigrationOff, g.off
		default:
			f.Topic, f.Why = FatalGateNext, "Kubernetes 1.27 and later stop at a gate they do not know; remove it before that upgrade"
		}
		report(f)
		if off && minor < 27 {
			f.Topic, f.Why = FatalGateNext, "Kubernetes 1.27 and later stop at a gate they do not know; remove it before that upgrade"
			report(f)
		}
	}
}

// gate gives the last value of one gate; the flag may be given several times
// and its pairs add up.
func gate(args []string, name string) (string, bool) {
	value, named := "", false
	for _, a := range args {
		if notation.FlagName(a) != "feature-gates" {
			continue
		}
		for _, pair := range strings.Split(notation.FlagValue(a), ",") {
			if k, v, _ := strings.Cut(strings.TrimSpace(pair), "="); k == name {
				value, named = strings.TrimSpace(v), true
			}
		}
	}
	return value, named
}

func explicitProvider(args []string, key string, report func(Finding)) {
	v, ok := notation.Last(args, FlagProvider)
	if !ok || key == KeySchedulerArg {
		return
	}
	f := Finding{Topic: ExplicitProvider, Seen: FlagProvider + "=" + v, Why: "it beats " + KeyProvider, Fix: "remove it unless it is meant"}
	if key == KeyAPIServerArg {
		f.Why = "kube-apiserver does not need it, and from 1.33 stops at it"
	}
	report(f)
}

func managerArgs(args []string, report func(Finding)) {
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
	controllers(args, report)
}

// controllers judges a list that leaves out what is to be handed over: a name
// with - turns one off, a list without * turns everything else off.
func controllers(args []string, report func(Finding)) {
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
	f := Finding{Topic: Controllers, Seen: "controllers=" + v, Why: "a list of controllers of its own", Fix: "remove it unless it is meant"}
	if len(off) > 0 {
		f.Why = "off in kube-controller-manager today: " + strings.Join(off, ", ")
	}
	report(f)
}
