package rke2checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// targetFlag names the version that a run upgrades to.
const targetFlag = "flag --kubernetes-version"

// apiServer is the kube-apiserver of one or more control planes with the same settings.
type apiServer struct {
	config.APIServer
	machines []string
}

// object names the setting and its machines.
func (s apiServer) object() string {
	return s.Location + " (" + migration.NameList(s.machines) + ")"
}

// apiServers returns the kube-apiservers of a cluster, each distinct setting once, as they
// are after a switch to an end state; "" leaves them as they are. The switch edits no
// argument of kube-apiserver.
func apiServers(f rancher.Facts, switchTo EndState) []apiServer {
	var servers []apiServer
	byKey := map[string]int{}
	for _, m := range f.ControlPlanes() {
		s := config.APIServerOf(config.Effective(f.Cluster.Spec, m.Machine))
		if switchTo == EndExternal && !s.Explicit {
			s.Provider = config.ProviderExternal
		}
		key := fmt.Sprint(s)
		if _, known := byKey[key]; !known {
			byKey[key] = len(servers)
			servers = append(servers, apiServer{APIServer: s})
		}
		servers[byKey[key]].machines = append(servers[byKey[key]].machines, m.Name)
	}
	return servers
}

// RefuseTarget returns an error if some kube-apiserver does not start on a release after a
// switch to an end state that is still to come, or "".
func RefuseTarget(f rancher.Facts, switchTo EndState, target string) error {
	for _, s := range apiServers(f, switchTo) {
		if r := s.Refuses(target); r != nil {
			return &fault.Error{Class: fault.Check, Reason: "APIServerWouldNotStart", Object: targetFlag + ", " + s.object(),
				Seen: r.Seen, Wanted: "a release whose kube-apiserver starts", Fix: r.Fix}
		}
	}
	return nil
}

// ReleaseNotes returns lines for a plan about the releases that start no kube-apiserver
// in an end state, and about the end state that starts on all of them if names allow it.
func ReleaseNotes(f rancher.Facts, switchTo EndState, nodes []downstream.Node) []string {
	ranges, next := config.RefusedAhead(f.Cluster.Spec.KubernetesVersion)
	refused := slices.ContainsFunc(apiServers(f, switchTo), func(s apiServer) bool { return s.Provider == config.ProviderAWS && !s.Explicit })
	if ranges == "" || !refused {
		return nil
	}
	notes := []string{"later upgrades must pass over RKE2 " + ranges + ", whose kube-apiserver refuses " + config.ProviderAWS + ": take " + next + " or later (AWSM-122)"}
	if choice, err := chooseEndState(EndExternal, nodes); err == nil && choice.State == EndExternal {
		notes = append(notes, "--end-state external starts on every release, and every Node's name is explicit")
	}
	return notes
}

// judgeAPIServer fails where the release that Rancher rolls out, or the target, starts
// no kube-apiserver, and warns of releases ahead that would not.
func judgeAPIServer(p Prepared) []verify.Finding {
	now, target := p.Cluster.Spec.KubernetesVersion, p.Options.KubernetesVersion
	upgrades := target != now && migration.UpgradeAllowed(now, target, "+rke2") == nil
	var found []verify.Finding
	for _, s := range apiServers(p.Facts, p.switchTo) {
		leaves := upgrades && s.Refuses(target) == nil
		if upgrades && !leaves {
			r := s.Refuses(target)
			found = append(found, verify.Failure(targetFlag+", "+s.object(), r.Seen, "a release whose kube-apiserver starts", r.Fix))
		}
		if r := s.Refuses(now); r != nil {
			f := verify.Failure(p.ObjectName()+", "+s.object(), r.Seen, "a release whose kube-apiserver starts", wayForward(r.Fix))
			if leaves { // this run takes the cluster out of there
				f.Status = verify.Warn
			}
			found = append(found, f)
			continue
		}
		if p.Stands.AtLeast(position.P4) {
			found = append(found, s.warnAhead(p.ObjectName(), now)...)
		}
	}
	return found
}

// wayForward returns the fix for a cluster that is in a release whose kube-apiserver does
// not start: the planner gives a new plan to a machine whose plan never got healthy
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, v2.12.3).
func wayForward(fix string) string {
	return strings.Replace(fix, "choose ", "set spec.kubernetesVersion of the Cluster to ", 1) + "; docs/steps/upgrade.md has the way forward"
}

// warnAhead returns the releases ahead that do not start this kube-apiserver.
func (s apiServer) warnAhead(cluster, now string) []verify.Finding {
	object := cluster + ", " + s.object()
	if v, _ := component.ParseVersion(now); s.Explicit && v.AtLeast(1, 32) {
		return []verify.Finding{verify.Warning(object, config.FlagProvider+"="+s.Provider+": kube-apiserver 1.33 and later do not know it and exit",
			"no "+config.FlagProvider+" for kube-apiserver", "take it out of "+config.KeyAPIServerArg+" before the upgrade to 1.33")}
	}
	ranges, next := config.RefusedAhead(now)
	if s.Provider != config.ProviderAWS || s.Explicit || ranges == "" {
		return nil
	}
	return []verify.Finding{verify.Warning(object, config.KeyProvider+": aws does not start kube-apiserver on RKE2 "+ranges,
		"an upgrade that passes over them", "of these minors take "+next+" or later")}
}
