package checks

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

// aliveWithin limits the age of an API server's renewal: it renews every 10 s, and its lease
// outlasts it by an hour.
const aliveWithin = time.Minute

// apiServersAlive compares renewals with the newest time stamp in the cluster, never
// with a local clock.
func apiServersAlive(in evidence.Input) []verify.Finding {
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	return verify.Judge(in.APIServers, "identity leases of API servers", func(servers []lease.Observation) []verify.Finding {
		planes := len(planesOf(in))
		if planes == 0 {
			return []verify.Finding{verify.Undecided("kube-apiserver", "no node carries a control-plane label")}
		}
		if len(servers) == 0 {
			return verify.Skipped("the API servers keep no identity leases: they do from 1.26 on, where APIServerIdentity is on")
		}
		newest := in.ServerClock
		for _, s := range servers {
			if s.Renew.After(newest) {
				newest = s.Renew
			}
		}
		alive := 0
		for _, s := range servers {
			if newest.Sub(s.Renew) < aliveWithin {
				alive++
			}
		}
		if alive < planes {
			return []verify.Finding{verify.Warning("kube-apiserver", fmt.Sprintf("%d alive, with %s", alive, fault.Count(planes, "control plane")), "one for every control plane", "")}
		}
		return []verify.Finding{verify.Notice("kube-apiserver", fmt.Sprintf("%d alive", alive))}
	})
}

// argumentsShown fails before a migration, and is Unknown at any other time.
func argumentsShown(in evidence.Input) []verify.Finding {
	kcms, ok := in.Facts.KCMs()
	if !ok || len(kcms) == 0 {
		return []verify.Finding{verify.Undecided("kube-controller-manager", "nodes or pods could not be read, or no node carries a control-plane label")}
	}
	var out []verify.Finding
	for _, k := range kcms {
		object, why := "kube-controller-manager on "+k.Machine, k.Mirror.Frozen()
		switch {
		case k.Pod.Name == "":
			out = append(out, verify.Undecided(object, k.Why))
		case why != "" && in.Preflight:
			out = append(out, verify.Failure(object, why, "the arguments in force", k.Mirror.Remedy()))
		case why != "":
			out = append(out, verify.Undecided(object, why+"; to see them, "+k.Mirror.Remedy()))
		}
	}
	return out
}

func managersRun(in evidence.Input) []verify.Finding {
	kcms, ok := in.Facts.KCMs()
	if !ok {
		return []verify.Finding{verify.Undecided("kube-controller-manager", "nodes or pods could not be read")}
	}
	var out []verify.Finding
	for _, k := range kcms {
		object := "Pod " + k.Pod.Namespace + "/" + k.Pod.Name
		switch {
		case k.Pod.Name == "":
			out = append(out, verify.Undecided("kube-controller-manager on "+k.Machine, k.Why))
		case k.Pod.Waiting != "":
			out = append(out, verify.Failure(object, k.Pod.Waiting+", "+fault.Count(int(k.Pod.Restarts), "restart"), "running", evidence.LookAt(k.Pod)))
		case !k.Pod.Ready:
			out = append(out, verify.Failure(object, "not ready", "ready", evidence.LookAt(k.Pod)))
		}
	}
	return out
}

func planesOf(in evidence.Input) []downstream.Node {
	var planes []downstream.Node
	for _, n := range in.Nodes.Value {
		if n.ControlPlane() {
			planes = append(planes, n)
		}
	}
	return planes
}

func window(in evidence.Input) []verify.Finding {
	versions, err := in.Versions()
	if err != nil {
		return []verify.Finding{verify.Undecided("Kubernetes", err.Error())}
	}
	if !rules.Migratable(versions[0]) {
		return []verify.Finding{verify.Failure("Kubernetes", in.Version.Value, "1.22 to 1.26", "")}
	}
	return nil
}

// etcdMembers judges the Nodes on which etcd runs as a static pod. If none does, etcd runs
// elsewhere, and nothing is known about it.
func etcdMembers(in evidence.Input, judge func([]downstream.Node) []verify.Finding) []verify.Finding {
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	return verify.Judge(in.Etcds, "pods of etcd", func(pods []downstream.Pod) []verify.Finding {
		on := map[string]bool{}
		for _, p := range pods {
			if p.Mirror && !p.Deleting {
				on[p.Node] = true
			}
		}
		var members []downstream.Node
		for _, n := range in.Nodes.Value {
			if on[n.Name] {
				members = append(members, n)
			}
		}
		if len(members) == 0 {
			return verify.Skipped("no etcd runs as a static pod here: it is kept elsewhere, or not as a pod")
		}
		return judge(members)
	})
}

func membersSuffice(in evidence.Input) []verify.Finding {
	out := etcdMembers(in, func(members []downstream.Node) []verify.Finding {
		if n := len(members); !rules.Redundant(n) {
			return []verify.Finding{verify.Warning("etcd", fault.Count(n, "member"), "3 or 5", "")}
		}
		return nil
	})
	if planes := planesOf(in); len(planes) == 1 {
		out = append(out, verify.Warning("Node "+planes[0].Name, "the only control plane: no API while it restarts", "at least 2", "add control planes"))
	}
	return out
}

func memberZones(in evidence.Input) []verify.Finding {
	return etcdMembers(in, func(members []downstream.Node) []verify.Finding {
		zones := rules.Zones{}
		for _, n := range members {
			zones[evidence.OrElse(n.Zone(), "no zone")]++
		}
		if zones.Spread() {
			return nil
		}
		return []verify.Finding{verify.Warning("etcd", fmt.Sprintf("%s in %s", fault.Count(len(members), "member"), evidence.Spread(zones)), "3 zones", "")}
	})
}
