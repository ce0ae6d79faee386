package rkechecks

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

type service struct {
	key string // in cluster.yml
	clusterfile.Service
}

func services(c clusterfile.Config) []service {
	s := c.Services
	return []service{{"etcd", s.Etcd}, {"kube-api", s.KubeAPI}, {"kube-controller", s.KubeController},
		{"scheduler", s.Scheduler}, {"kubelet", s.Kubelet}, {"kubeproxy", s.Kubeproxy}}
}

func (p Prepared) argsOf(key string) string { return p.file() + ": services." + key }

func judgeProviderFlags(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, s := range services(p.Config) {
		if !slices.Contains([]string{"kube-controller", "kube-api", "kubelet"}, s.key) {
			continue
		}
		for _, flag := range []string{component.CloudProvider, component.CloudConfig} {
			if value, given := s.Flag(flag); given {
				found = append(found, verify.Failure(p.argsOf(s.key), flag+"="+value+" beats cloud_provider.name", "no "+flag+" among the extra arguments", "remove it"))
			}
		}
	}
	return found
}

// movesMigration reports whether the migration depends on a flag, so that a random choice
// between two values would decide it.
func movesMigration(flag string) bool {
	return strings.HasPrefix(flag, "leader-") || slices.Contains([]string{component.CloudProvider, component.CloudConfig, component.EnableLeaderMigration,
		component.Controllers, component.ConfigureCloudRoutes, component.AllocateNodeCIDRs, component.ClusterCIDR, component.FeatureGates, "hostname-override"}, flag)
}

func judgeBothMaps(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, s := range services(p.Config) {
		inArray := map[string]bool{}
		for key := range s.ExtraArgsArray {
			inArray[clusterfile.FlagName(key)] = true
		}
		for _, key := range keysOf(s.ExtraArgs) {
			flag := clusterfile.FlagName(key)
			if !inArray[flag] {
				continue
			}
			one := verify.Warning(p.argsOf(s.key), flag+" is in extra_args and in extra_args_array: which of them counts is random", "one of them", "")
			if movesMigration(flag) {
				one.Status = verify.Fail
			}
			found = append(found, one)
		}
		if s.key == "kube-controller" && inArray[component.EnableLeaderMigration] {
			found = append(found, verify.Failure(p.argsOf(s.key), component.EnableLeaderMigration+" is in extra_args_array: awsmigrate sets and removes it in extra_args", "not there", "remove it"))
		}
	}
	return found
}

func judgeElection(p Prepared) []verify.Finding {
	var found []verify.Finding
	kcm := p.Config.Services.KubeController
	refuse := func(flag, value, why string) {
		found = append(found, verify.Failure(p.argsOf("kube-controller"), flag+"="+value, why, "remove it"))
	}
	if value, given := kcm.Flag("leader-elect"); given {
		if on, err := component.Parse([]string{"--leader-elect=" + value}).Bool("leader-elect", true); err != nil || !on {
			refuse("leader-elect", value, "leader election, without which the flag is ignored and every manager runs all controllers")
		}
	}
	if value, given := kcm.Flag(component.LeaderMigrationConfig); given {
		refuse(component.LeaderMigrationConfig, value, "none: the file lies on the nodes, and other controllers or another lock in it make two managers run")
	}
	for _, flag := range []string{"leader-elect-resource-namespace", "leader-elect-resource-lock"} {
		if value, given := kcm.Flag(flag); given {
			refuse(flag, value, "none: the CCM waits on a lease in kube-system")
		}
	}
	return found
}

func judgeDashes(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, s := range services(p.Config) {
		for _, key := range append(keysOf(s.ExtraArgs), keysOf(s.ExtraArgsArray)...) {
			if strings.HasPrefix(key, "-") {
				found = append(found, verify.Failure(p.argsOf(s.key), key+" begins with dashes: rke adds two more, and the component stops at it", strings.TrimLeft(key, "-"), "write it without dashes"))
			}
		}
	}
	return found
}

// judgeServiceArguments judges the gates that a migration needs, and refused arguments, for
// the current and the target version.
func judgeServiceArguments(p Prepared) []verify.Finding {
	current := p.inForce()
	now, err := component.ParseVersion(current.version)
	if err != nil && p.Offline {
		return []verify.Finding{verify.Undecided(current.versionObject, NeedsCluster)}
	}
	if err != nil {
		return []verify.Finding{verify.Undecided(current.versionObject, err.Error())}
	}
	target, err := component.ParseVersion(p.Options.KubernetesVersion)
	if err != nil {
		target = now
	}
	var found []verify.Finding
	for _, s := range services(p.Config) {
		value, _ := s.Flag(component.FeatureGates)
		given, object := component.ParseGates(value), p.argsOf(s.key)
		for _, gate := range component.MigrationGates() {
			if _, named := given[gate]; named {
				found = append(found, namedGate(object, given, gate, now, target))
			} else if f, off := umbrellaGate(object, s.key, given, gate, now); off {
				found = append(found, f)
			}
		}
		found = append(found, refusedArguments(object, s, now, target)...)
	}
	return found
}

// programs maps the services to the components that they configure.
func programs() map[string]string {
	return map[string]string{"kube-api": wellknown.APIServer, "kube-controller": wellknown.KCM,
		"scheduler": component.Scheduler, "kubelet": component.Kubelet, "kubeproxy": component.Proxy}
}

// refusedArguments judges flags, values and gates at which the target version exits. Without a
// target it warns of the next minor version: the components run with the arguments of the current
// one, whatever a table says. The gates that a migration needs have findings of their own.
func refusedArguments(object string, s service, now, target component.Version) []verify.Finding {
	program, known := programs()[s.key]
	if !known {
		return nil
	}
	if target != now {
		return refusedIn(object, program, s, target)
	}
	var found []verify.Finding
	for _, f := range refusedIn(object, program, s, now.NextMinor()) {
		f.Status, f.Fix = verify.Warn, f.Fix+" before that upgrade"
		found = append(found, f)
	}
	return found
}

func refusedIn(object, program string, s service, v component.Version) []verify.Finding {
	var args []component.Argument
	for _, key := range keysOf(s.ExtraArgs) {
		args = append(args, component.Argument{Flag: clusterfile.FlagName(key), Value: s.ExtraArgs[key]})
	}
	for _, key := range keysOf(s.ExtraArgsArray) {
		for _, value := range s.ExtraArgsArray[key] {
			args = append(args, component.Argument{Flag: clusterfile.FlagName(key), Value: value})
		}
	}
	var found []verify.Finding
	for _, refused := range component.RefusedArguments(program, args, v) {
		gate, _, _ := strings.Cut(strings.TrimPrefix(refused.Seen, component.FeatureGates+" "), "=")
		if !slices.Contains(component.MigrationGates(), gate) {
			found = append(found, verify.Failure(object, refused.Seen+": "+program+" of "+refused.Why, "arguments that it knows", "remove "+refused.Seen))
		}
	}
	return append(found, refusedProvider(object, program, s, v)...)
}

// namedGate judges a gate that a service sets explicitly.
func namedGate(object string, given component.Gates, gate string, now, target component.Version) verify.Finding {
	state := fmt.Sprintf("%s: %s=%t", component.FeatureGates, gate, given[gate])
	switch {
	case now.AtLeast(1, 27) || target.AtLeast(1, 27):
		return verify.Failure(object, state+": from 1.27 on components stop at a gate they do not know", "no "+gate, "remove it before the upgrade")
	case given.Fatal(gate, now) != "":
		return verify.Failure(object, state+": the component does not start, "+given.Fatal(gate, now), "no "+gate, "remove it")
	case given.Fatal(gate, target) != "":
		return verify.Failure(object, state+": the component does not start, "+given.Fatal(gate, target), "no "+gate, "remove it before the upgrade")
	case !given[gate] && gate == component.GateLeaderMigration:
		return leaderGateOff(object, state)
	case gate == component.GateCSIMigrationAWS && !given[gate]:
		return csiGateOff(object, state+", as Rancher advises for the in-tree provider", gate)
	case !given[gate]:
		return csiGateOff(object, state, gate)
	}
	return verify.Warning(object, state+": from 1.27 on components stop at a gate they do not know", "no "+gate, "remove it before that upgrade")
}

// umbrellaGate judges a gate that AllAlpha or AllBeta switches off. Only
// kube-controller-manager has leader migration. CSIMigration has its own finding.
func umbrellaGate(object, service string, given component.Gates, gate string, now component.Version) (verify.Finding, bool) {
	pair := given.Off(gate, now)
	state := component.FeatureGates + ": " + pair + " switches off " + gate
	switch {
	case !strings.HasPrefix(pair, "All") || gate == component.GateCSIMigration && given.Off(component.GateCSIMigrationAWS, now) == pair:
		return verify.Finding{}, false
	case gate == component.GateLeaderMigration && service != "kube-controller":
		return verify.Finding{}, false
	case gate == component.GateLeaderMigration:
		return leaderGateOff(object, state), true
	}
	return csiGateOff(object, state, pair), true
}

// leaderGateOff returns a failure: up to 1.23 kube-controller-manager refuses
// enable-leader-migration with the gate off
// (k8s.io/controller-manager:pkg/leadermigration/options@v0.23.17).
func leaderGateOff(object, state string) verify.Finding {
	return verify.Failure(object, state+": kube-controller-manager stops at enable-leader-migration", component.GateLeaderMigration+" on", "remove it before the migration")
}

func csiGateOff(object, state, gate string) verify.Finding {
	return verify.Warning(object, state+": with external-aws in-tree EBS volumes can no longer be attached", "no "+gate+", and aws-ebs-csi-driver",
		"install aws-ebs-csi-driver, then remove the gate from every service, before the migration")
}

func keysOf[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
