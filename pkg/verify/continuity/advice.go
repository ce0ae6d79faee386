package continuity

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// fateOf returns the state of a ProviderID's instance in EC2, or "" if it is unknown.
func fateOf(providerID string, instances cloud.Facts) cloud.Fate {
	zone, id, ok := downstream.ParseProviderID(providerID)
	if !ok {
		return ""
	}
	return instances.Fate(zone, id)
}

// restoreFix returns how to restore a Node that was deleted while its machine exists.
func restoreFix(d Difference, instances cloud.Facts) string {
	const restart = "restart the kubelet on that machine, with RKE2 its service rke2-agent or rke2-server: it registers the Node again; then run the same command again"
	_, id, _ := downstream.ParseProviderID(d.Was.ProviderID)
	switch fateOf(d.Was.ProviderID, instances) {
	case cloud.Gone:
		return "its instance " + id + " is gone: " + removal(d.Machine, d.Was.Name) + ", then run the same command again"
	case cloud.Stopped:
		return "start its instance " + id + ", whose kubelet registers the Node again, or " + removal(d.Machine, d.Was.Name) + "; then run the same command again"
	case cloud.Runs:
		return restart
	}
	return "check in EC2 whether its instance runs (it was not read); if so, " + restart + "; if it is gone: " + removal(d.Machine, d.Was.Name)
}

// providerIDFix returns what to do about a Node whose ProviderID changed or is gone.
func providerIDFix(d Difference, instances cloud.Facts) string {
	_, id, _ := downstream.ParseProviderID(d.Was.ProviderID)
	switch {
	case d.Now.ProviderID != "":
		return "find out which machine the Node belongs to, and replace it: a ProviderID cannot be changed"
	case fateOf(d.Was.ProviderID, instances) == cloud.Gone:
		return "its instance " + id + " is gone: " + removal(d.Machine, d.Was.Name)
	}
	return "write the ProviderID again, once it is certain that the Node is still that instance (AWSM-301)"
}

// removal returns how to remove a machine from Rancher or from cluster.yml.
func removal(m MachineRef, node string) string {
	switch {
	case m.UID != "":
		return "delete machine " + m.Name + " in Rancher"
	case m.Name != "":
		return "remove node " + m.Name + " from the cluster's configuration (cluster.yml, or Rancher)"
	}
	return "remove the machine of Node " + node + " where the cluster is configured"
}

// Removal returns how to remove a Node and its machine after its instance is gone.
func Removal(n downstream.Node, machines []MachineRef) string {
	m, _ := index(machines).find(n.MachineUID(), n.Name)
	return removal(m, n.Name)
}

func twinsFix(names []string, nodes []downstream.Node, instances cloud.Facts) string {
	var gone, others []string
	for _, n := range nodes {
		switch {
		case !slices.Contains(names, n.Name):
		case fateOf(n.ProviderID, instances) == cloud.Gone:
			gone = append(gone, n.Name)
		default:
			others = append(others, n.Name)
		}
	}
	if len(gone) == 0 || len(others) > 1 {
		return "stop the roll and undo: a node registered under a second name"
	}
	return "the instance of Node " + strings.Join(gone, ", of Node ") + " is gone: remove that Node with its machine, through Rancher or rke where it carries an etcd member"
}
