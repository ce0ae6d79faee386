package rkechecks

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
)

func judgeWindow(p Prepared) []verify.Finding {
	now := p.inForce()
	v, _ := component.ParseVersion(now.version) // an unreadable version cannot be migrated
	if p.Offline && now.version == "" {
		return nil // another check reports the missing version
	}
	if v.AtLeast(1, 27) {
		return []verify.Finding{verify.Failure(now.versionObject, fmt.Sprintf("Kubernetes %q", now.version), "v1.22 to v1.26",
			"check the version: from 1.27 on no cluster can run the in-tree provider, and there is nothing to migrate")}
	}
	if !rules.Migratable(v) {
		return []verify.Finding{verify.Failure(now.versionObject, fmt.Sprintf("Kubernetes %q", now.version), "v1.22 to v1.26", "")}
	}
	return nil
}

func judgeWindows(p Prepared) []verify.Finding {
	var found []verify.Finding
	for i := range p.Down.Nodes {
		node := &p.Down.Nodes[i]
		if node.Labels[downstream.LabelOS] == "windows" {
			found = append(found, verify.Failure("Node "+node.Name, "runs Windows: rke has other arguments and another entrypoint there", "Linux on every node", "remove the node from the cluster"))
		}
	}
	return found
}

func judgeProvider(p Prepared) []verify.Finding {
	if now := p.inForce(); now.provider != rkestate.ProviderAWS {
		return []verify.Finding{verify.Failure(now.nameObject, now.providerSeen, rkestate.ProviderAWS, "")}
	}
	return nil
}

// judgeMembership returns failures for hosts without exactly one Node and for other Nodes,
// because rke only changes the machines of cluster.yml.
func judgeMembership(p Prepared) []verify.Finding {
	var found []verify.Finding
	known := map[*downstream.Node]bool{}
	for _, h := range p.Hosts() {
		nodes := naming.NodesOf(h, p.Down.Nodes)
		if len(nodes) != 1 {
			found = append(found, verify.Failure("node "+h.Address+" of "+p.file(), fmt.Sprintf("%d Nodes are found for it", len(nodes)), "exactly one", ""))
		}
		for _, node := range nodes {
			known[node] = true
		}
	}
	for i := range p.Down.Nodes {
		if node := &p.Down.Nodes[i]; !known[node] {
			found = append(found, verify.Failure("Node "+node.Name, "no node of "+p.file()+" has its label "+corev1.LabelHostname+" or its InternalIP", "a node for every Node",
				"delete the Node if its machine is gone, else add the machine to nodes"))
		}
	}
	return found
}

func judgeMembers(p Prepared) []verify.Finding {
	members, planes := 0, 0
	for _, h := range p.Hosts() {
		if h.Has("etcd") {
			members++
		}
		if h.Has("controlplane") {
			planes++
		}
	}
	return rules.Restart(p.file(), members, planes)
}

func judgeZones(p Prepared) []verify.Finding {
	pairs, err := naming.Pairs(p.Facts, p.Down.Nodes)
	if err != nil {
		return []verify.Finding{verify.Undecided(p.file(), err.Error())}
	}
	zones := rules.Zones{}
	for _, pair := range pairs {
		if pair.Host.Has("etcd") {
			zones[pair.Node.Labels[corev1.LabelTopologyZone]]++
		}
	}
	return zones.Judge(p.file())
}

// judgeUnavailable parses the limit as rke does: a number, or a percentage of the control
// planes, rounded down (rancher/rke:services/node_util.go@v1.5.9).
func judgeUnavailable(p Prepared) []verify.Finding {
	limit := strings.TrimSpace(p.Config.UpgradeStrategy.MaxUnavailableControlplane)
	planes := 0
	for _, h := range p.Hosts() {
		if h.Has("controlplane") {
			planes++
		}
	}
	if limit == "" || planes < 2 {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(limit, "%"))
	if strings.HasSuffix(limit, "%") {
		n = max(1, n*planes/100)
	}
	object, wanted := p.file()+": upgrade_strategy.max_unavailable_controlplane", "1, so that the lease always has another candidate"
	switch {
	case err != nil:
		return []verify.Finding{verify.Warning(object, fmt.Sprintf("%q", limit), wanted, "")}
	case n >= planes:
		return []verify.Finding{verify.Failure(object, limit+": all control planes restart together", wanted, "")}
	case n > 1:
		return []verify.Finding{verify.Warning(object, fmt.Sprintf("%s: %d of %d restart together", limit, n, planes), wanted, "")}
	}
	return nil
}

func judgeDrain(p Prepared) []verify.Finding {
	if drain := p.Config.UpgradeStrategy.Drain; drain != nil && *drain {
		return []verify.Finding{verify.Warning(p.file()+": upgrade_strategy.drain", "true: pods are evicted from every node, control planes too",
			"false during the migration: cordon is left out, and cordons that rke removes are set again", "")}
	}
	return nil
}

func judgeLife(Prepared) []verify.Finding {
	return []verify.Finding{verify.Notice("RKE", "RKE has been out of support since 31 July 2025: after this migration, plan the one to RKE2. Rancher 2.12 and later do not manage RKE clusters")}
}
