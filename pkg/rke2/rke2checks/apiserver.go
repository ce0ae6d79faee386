package rke2checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// apiServer describes the kube-apiserver of one or more control planes with equal settings.
type apiServer struct {
	config.APIServer
	machines []string
}

// object returns the name of the setting and its machines.
func (s apiServer) object() string {
	return s.Location + " (" + migration.NameList(s.machines) + ")"
}

// apiServers returns the kube-apiservers of a cluster, one per distinct setting, as they are
// after a switch to an end state. If switchTo is empty, they are the current ones. The switch
// edits no argument of kube-apiserver.
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

// ReleaseNotes returns lines for a plan about the releases on which no kube-apiserver starts
// in an end state. If the Node names allow it, they suggest the end state external, which
// starts on every release.
func ReleaseNotes(f rancher.Facts, switchTo EndState, nodes []downstream.Node) []string {
	ranges, next := config.RefusedAhead(f.Cluster.Spec.KubernetesVersion)
	refused := slices.ContainsFunc(apiServers(f, switchTo), func(s apiServer) bool { return s.Provider == config.ProviderAWS && !s.Explicit })
	if ranges == "" || !refused {
		return nil
	}
	notes := []string{"later upgrades must pass over RKE2 " + ranges + ", whose kube-apiserver refuses " + config.ProviderAWS + ": use " + next + " or later (AWSM-122)"}
	if choice, err := chooseEndState(EndExternal, nodes); err == nil && choice.State == EndExternal {
		notes = append(notes, "--end-state external starts on every release, and every Node's name is explicit")
	}
	return notes
}

// judgeAPIServer returns a failure if kube-apiserver does not start on the current or the
// target release. It returns warnings about later releases on which it would not start.
func judgeAPIServer(p Prepared) []verify.Finding {
	return p.judgeReleases(p.setup().refusedAPIServers, func() (found []verify.Finding) {
		for _, s := range apiServers(p.Facts, p.switchTo) {
			found = append(found, s.warnAhead(p.Cluster.Spec.KubernetesVersion)...)
		}
		return found
	})
}

// refusedAPIServers returns the kube-apiservers that do not start on a release.
func (s setup) refusedAPIServers(version string) []verify.Finding {
	var found []verify.Finding
	for _, server := range apiServers(s.Facts, s.switchTo) {
		r := server.Refuses(version)
		if r == nil {
			continue
		}
		if version == s.Cluster.Spec.KubernetesVersion {
			r.Fix = wayForward(r.Fix)
		}
		found = append(found, verify.Failure(server.object(), r.Seen, "a release whose kube-apiserver starts", r.Fix))
	}
	return found
}

// wayForward returns the fix for a cluster on a release whose kube-apiserver does not start.
// The planner also gives a new plan to a machine whose plan never became healthy
// (rancher/rancher:pkg/capr/planner/planner.go@v2.8.5, v2.12.3).
func wayForward(fix string) string {
	return strings.Replace(fix, "choose ", "set spec.kubernetesVersion of the Cluster to ", 1) + "; docs/steps/upgrade.md has the way forward"
}

// warnAhead returns warnings about later releases on which this kube-apiserver does not start.
func (s apiServer) warnAhead(now string) []verify.Finding {
	if v, _ := component.ParseVersion(now); s.Explicit && v.AtLeast(1, 32) {
		return []verify.Finding{verify.Warning(s.object(), config.FlagProvider+"="+s.Provider+": kube-apiserver 1.33 and later do not know it and exit",
			"no "+config.FlagProvider+" for kube-apiserver", "take it out of "+config.KeyAPIServerArg+" before the upgrade to 1.33")}
	}
	ranges, next := config.RefusedAhead(now)
	if s.Provider != config.ProviderAWS || s.Explicit || ranges == "" {
		return s.warnNext(now)
	}
	return []verify.Finding{verify.Warning(s.object(), config.KeyProvider+": aws does not start kube-apiserver on RKE2 "+ranges,
		"an upgrade that passes over them", "of these minors take "+next+" or later")}
}

// warnNext returns a warning if this kube-apiserver does not start on the next minor version.
func (s apiServer) warnNext(now string) []verify.Finding {
	v, err := component.ParseVersion(now)
	if err != nil {
		return nil // AWSM-101 reports it
	}
	r := s.Refuses(fmt.Sprintf("v%d.%d.0", v.Major, v.Minor+1))
	if r == nil {
		return nil
	}
	return []verify.Finding{verify.Warning(s.object(), r.Seen, "a release whose kube-apiserver starts", r.Fix+" before that upgrade")}
}
