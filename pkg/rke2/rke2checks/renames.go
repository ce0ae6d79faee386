package rke2checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// judgeMetadataNames judges whether the Nodes keep their names on releases that name machines
// with aws by the metadata service.
func judgeMetadataNames(p Prepared) []verify.Finding {
	s := p.setup()
	return p.judgeReleases(s.renamed, func() []verify.Finding {
		found := s.renamedFrom("from " + config.NamedByMetadataFrom(p.Cluster.Spec.KubernetesVersion) + " on")
		for i := range found {
			if found[i].Status == verify.Fail {
				found[i].Status = verify.Warn
			}
		}
		return found
	})
}

// renamed returns the Nodes that an upgrade to a release renames.
func (s setup) renamed(version string) []verify.Finding {
	if !config.NamesByMetadata(version) {
		return nil
	}
	return s.renamedFrom(version)
}

// renamedFrom returns the Nodes whose names a release does not keep. The current release names
// its Nodes itself, so that no later release renames them if it already uses the metadata
// service.
func (s setup) renamedFrom(release string) []verify.Finding {
	if config.NamesByMetadata(s.Cluster.Spec.KubernetesVersion) || s.switchTo == EndExternal {
		return nil
	}
	var found []verify.Finding
	providers, nodes := providersOf(s.Facts), rancher.NodesByMachine(downstream.Cluster{Nodes: s.nodes})
	for _, m := range s.Machines {
		if providers[m.Name] != config.ProviderAWS {
			continue
		}
		for _, node := range nodes[m.UID] {
			found = append(found, judgeMetadataName(node, release)...)
		}
	}
	return found
}

// judgeMetadataName compares a Node's name with the names that EC2's metadata service can give:
// by the private address or by the instance ID, in a domain that no API shows. RKE2 took a name
// in that form from it before, unless the Node has an explicit node-name.
func judgeMetadataName(n *downstream.Node, release string) []verify.Finding {
	object, seen := "Node "+n.Name, "RKE2 "+release+" names it by its metadata service"
	const fix = "replace the machine; or, if every Node has an explicit node-name, set cloud-provider-name: external first"
	host, _, _ := strings.Cut(n.Name, ".")
	_, instance, _ := downstream.ParseProviderID(n.ProviderID)
	byAddress := func(ip string) bool { return host == "ip-"+strings.ReplaceAll(ip, ".", "-") }
	switch ips := n.InternalIPs(); {
	case len(ips) == 0 && strings.HasPrefix(host, "ip-"):
		return []verify.Finding{verify.Undecided(object, "it has no internal address to compare its name with")}
	case !slices.ContainsFunc(ips, byAddress) && (instance == "" || host != instance):
		return []verify.Finding{verify.Failure(object, seen+", which gives another name", "EC2's private DNS name", fix)}
	}
	if args, err := config.ParseNodeArgs(n.Annotations[config.NodeArgsAnnotation]); err == nil && args.HasNodeName(n.Name) {
		return []verify.Finding{verify.Warning(object, fmt.Sprintf("%s, and no longer by its %s; no API shows the domain of the new name", seen, config.KeyNodeName),
			"the same name from the metadata service", "compare it with http://169.254.169.254/latest/meta-data/local-hostname on that machine")}
	}
	return nil
}
