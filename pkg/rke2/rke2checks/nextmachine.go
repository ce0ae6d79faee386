package rke2checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// NextMachines holds what decides about the machines that Rancher creates next.
type NextMachines struct {
	Templates verify.Read[[]evidence.MachineTemplate]
	Cluster   string // ID of the cluster that the CCM works for, or empty if unknown
	// Configured reports whether the cloud config has the ID. The CCM then reads no tag of the
	// instance that it runs on.
	Configured bool
	VPCs       []string // of the present instances
}

// NextMachinesOf returns the evidence about the next machines.
func NextMachinesOf(in evidence.Input) NextMachines {
	settings, unread := in.Overrides()
	next := NextMachines{Templates: in.Templates, Cluster: settings.Cluster(), Configured: settings.Cluster() != ""}
	if !in.Cloud.On || !in.Cloud.Instances.OK() {
		return next
	}
	pairs, _ := in.Pairs(in.Cloud.Instances.Value)
	if next.Cluster == "" && unread == "" { // else a cloud config may name another
		next.Cluster = evidence.ClusterID(pairs)
	}
	for _, p := range pairs {
		if p.Found && p.Instance.VPC != "" && !slices.Contains(next.VPCs, p.Instance.VPC) {
			next.VPCs = append(next.VPCs, p.Instance.VPC)
		}
	}
	return next
}

// nextName describes the name under which the next machine of a pool registers.
type nextName string

const (
	nameByMetadata nextName = "EC2's private DNS name"
	// nameByDefaults is EC2's private DNS name unless the image or the account requires tokens.
	nameByDefaults nextName = "EC2's private DNS name, unless its image or the account requires tokens"
	nameOfMachine  nextName = "its machine's name in Rancher"
	nameFixed      nextName = "the host name of the user data, as every machine of the pool"
	nameUnknown    nextName = "a host name that its user data may set"
)

// nameOfNext returns the name of the next machine after the switch. A kubelet with the external
// provider takes RKE2's override, else the host name (kubernetes/kubernetes:cmd/kubelet/app/
// server.go@v1.26.13, getNodeName). RKE2 asks the metadata service if the provider is aws, and
// falls back to `hostname -f` (rancher/rke2:pkg/rke2/rke2_linux.go@v1.26.15+rke2r1, lines 80 to
// 90; rke2_windows.go never asks). It uses a token from the releases of config.NamesByMetadata on.
func nameOfNext(t evidence.MachineTemplate, provider, release string) nextName {
	token := config.NamesByMetadata(release)
	asks := provider == config.ProviderAWS && !t.Windows
	reads := t.Endpoint != "disabled" && (token || t.Tokens != "required")
	switch {
	case asks && reads && !token && t.Tokens == "":
		return nameByDefaults
	case asks && reads:
		return nameByMetadata
	case t.Host.Unknown:
		return nameUnknown
	case t.Host.Fixed != "":
		return nameFixed
	}
	return nameOfMachine
}

// judgeNextMachines judges the next machine of each pool. It warns at most, because the present
// machines are not affected, and so it skips without a right to the templates.
func judgeNextMachines(p Prepared) []verify.Finding {
	templates := p.Next.Templates.Value
	switch {
	case p.Next.Templates.Err != nil:
		return verify.Skipped(p.Next.Templates.Err.Error())
	case len(templates) == 0:
		return verify.Skipped("no machine pool of Rancher's EC2 node driver")
	case p.ChoiceErr != nil:
		return verify.Skipped("the end state is not decided (AWSM-113)")
	}
	provider := config.ProviderAWS
	if p.Choice.State == EndExternal {
		provider = "external"
	}
	var found []verify.Finding
	for _, t := range templates {
		found = append(found, p.judgeTemplate(t, nameOfNext(t, provider, p.Cluster.Spec.KubernetesVersion))...)
	}
	return append(found, differentClusters(templates, p.Next.Cluster)...)
}

func (p Prepared) judgeTemplate(t evidence.MachineTemplate, name nextName) []verify.Finding {
	object := "machine pool " + t.Pool
	warn := func(seen, wanted, fix string) []verify.Finding {
		return []verify.Finding{verify.Warning(object, seen, wanted, fix+replacesAll)}
	}
	if t.Unread != "" {
		return []verify.Finding{verify.Warning(object, t.Object+" "+t.Unread+noTemplate, "a template for each pool", "create "+t.Object+", or remove the pool")}
	}
	if refused := judgeUncreated(object, t); len(refused) > 0 {
		return refused
	}
	var found []verify.Finding
	if name != nameByMetadata && name != nameByDefaults {
		effect := ": the CCM finds no instance by it, and the taint stays"
		if name == nameUnknown {
			effect = ": if it is not " + string(nameByMetadata) + ", the CCM finds no instance by it, and the taint stays"
		}
		found = append(found, warn("after the switch the next machine registers as "+string(name)+effect, string(nameByMetadata), fixName(t, p.Choice.State))...)
	}
	found = append(found, p.Next.judgeTags(object, t)...)
	if t.ControlPlane && !t.Profile {
		found = append(found, warn("no instance profile: a CCM on the next control plane gets no credentials", "the instance profile of the present ones", "set iamInstanceProfile in "+t.Object)...)
	}
	if t.ControlPlane && t.Endpoint == "disabled" {
		found = append(found, warn("the metadata service is disabled: a CCM on the next control plane does not start", "httpEndpoint enabled", "set httpEndpoint: enabled in "+t.Object)...)
	}
	if t.VPC != "" && len(p.Next.VPCs) > 0 && !slices.Contains(p.Next.VPCs, t.VPC) {
		found = append(found, warn("in "+t.VPC+", while the nodes are in "+strings.Join(p.Next.VPCs, ", "), "one VPC", "set vpcId and subnetId in "+t.Object)...)
	}
	if len(found) == 0 {
		return []verify.Finding{verify.Notice(object, fmt.Sprintf("the next machine registers as %s, tagged for cluster %s", name, strings.Join(t.Clusters, ", ")))}
	}
	return found
}

// judgeUncreated judges a template with which Rancher creates no machine.
func judgeUncreated(object string, t evidence.MachineTemplate) []verify.Finding {
	switch {
	case t.Host.Refused:
		return []verify.Finding{verify.Warning(object, "Rancher creates no machine with this user data",
			"user data that begins with #!, or with #cloud-config before a map with lists as write_files and runcmd", "correct userdata in "+t.Object+replacesAll)}
	case t.RefusedTags != "":
		return []verify.Finding{verify.Warning(object, "Rancher creates no machine with these tags: "+t.RefusedTags,
			"pairs of key and value, each key once, without Name", "correct tags in "+t.Object+replacesAll)}
	}
	return nil
}

// replacesAll warns of what a changed template does: its hash is in the name that a machine
// deployment refers to (rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/
// template.go@v2.8.5, createMachineTemplateHash).
const replacesAll = "; Rancher then replaces every machine of the pool, so not during a migration"

// noTemplate is the effect of a missing template: Rancher generates no object of the Cluster
// without it, also no new RKEControlPlane (template.go@00914879, toMachineTemplate; controller.go@052bb940,
// OnRancherClusterChange). It skips pools of quantity 0.
const noTemplate = ": Rancher applies no edit of the Cluster while the pool's quantity is above 0"

func fixName(t evidence.MachineTemplate, end EndState) string {
	switch {
	case end == EndExternal || t.Windows:
		return "let user data set EC2's private DNS name as the host name, before it installs RKE2"
	case t.Endpoint == "disabled":
		return "set httpEndpoint: enabled in " + t.Object
	}
	return "set httpTokens: optional in " + t.Object + " until RKE2 is 1.29.11 or later"
}

// judgeTags judges the cluster tags of the next instance. The CCM finds no instance that is not
// tagged for its cluster (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.14,
// describeInstances, the same up to v1.36.1). It does not start on one with tags of two (tags.go,
// findClusterIDs), unless its cloud config has the ID, but finds a worker with them.
func (next NextMachines) judgeTags(object string, t evidence.MachineTemplate) []verify.Finding {
	cluster, tagged, several := next.Cluster, strings.Join(t.Clusters, ", "), len(t.Clusters) > 1
	warn := func(seen, wanted, fix string) []verify.Finding {
		return []verify.Finding{verify.Warning(object, seen, wanted, fix+replacesAll)}
	}
	switch {
	case len(t.Clusters) == 0:
		return warn("the next machine is tagged for no cluster: the CCM does not find it, and the taint stays", "one tag kubernetes.io/cluster/ID", "add kubernetes.io/cluster/ID,owned to tags in "+t.Object+", as a pair of key and value")
	case several && t.ControlPlane && !next.Configured:
		return warn(fmt.Sprintf("the next machine is tagged for %d clusters: %s: a CCM on it does not start", len(t.Clusters), tagged), "one tag kubernetes.io/cluster/ID", "correct tags in "+t.Object)
	case several && cluster == "":
		return warn(fmt.Sprintf("the next machine is tagged for %d clusters: %s", len(t.Clusters), tagged), "one tag kubernetes.io/cluster/ID", "correct tags in "+t.Object)
	case cluster != "" && !slices.Contains(t.Clusters, cluster):
		return warn("the next machine is tagged for cluster "+tagged+": a CCM of cluster "+cluster+" does not find it, and the taint stays",
			"kubernetes.io/cluster/"+cluster, "add kubernetes.io/cluster/"+cluster+",owned to tags in "+t.Object)
	}
	return nil
}

// differentClusters warns of pools with different tags if the cluster's ID is unknown.
func differentClusters(templates []evidence.MachineTemplate, cluster string) []verify.Finding {
	var ids []string
	for _, t := range templates {
		if t.Unread == "" && len(t.Clusters) == 1 && !slices.Contains(ids, t.Clusters[0]) {
			ids = append(ids, t.Clusters[0])
		}
	}
	if cluster != "" || len(ids) < 2 {
		return nil
	}
	return []verify.Finding{verify.Warning("machine pools", "tagged for different clusters: "+strings.Join(ids, ", "), "one cluster ID", "give the tags of all pools the same kubernetes.io/cluster/ID"+replacesAll)}
}
