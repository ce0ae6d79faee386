package naming

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Rule describes how Nodes keep their names under the external provider.
type Rule struct {
	// UseMetadata is the value of useInstanceMetadataHostname.
	UseMetadata bool
	Why         string
}

// ReasonNotProven is the reason of Choose's error.
const ReasonNotProven = migration.ReasonNamesNotProven

// Choose selects the rule by which nodes keep their names after the switch. The in-tree kubelet
// names its Node after EC2's private DNS name and ignores hostname_override. Under external-aws
// the override is the Node's name, and a Node with another name registers a second time. The
// rule must therefore be proven for every node:
//
//   - true: rke-tools sets the kubelet's override from the metadata service, which must be known
//     to return the Node's name. rke finds the Node afterwards by its InternalIP or by
//     hostname_override (rancher/rke:k8s/node.go@v1.5.9, GetNode);
//   - false: hostname_override is the Node's name.
//
// targets are Kubernetes versions of an upgrade in the same run. Choose returns a *fault.Error
// with ReasonNotProven. Its class is CouldNotLook if no fact excludes a rule but its evidence
// could not be read.
func Choose(f rkestate.Facts, nodes []downstream.Node, instances cloud.Facts, targets ...string) (Rule, error) {
	if !f.State.Current.Known || len(nodes) == 0 {
		return Rule{}, &fault.Error{Class: fault.CouldNotLook, Reason: ReasonNotProven, Object: "node names",
			Seen: "rke's state or the Nodes could not be read", Wanted: "both: they show the name of each node"}
	}
	pairs, err := Pairs(f, nodes)
	if err != nil {
		return Rule{}, err
	}
	if err := OverrideArgs(f.Config); err != nil {
		return Rule{}, err
	}
	unnamed := notNamed(pairs)
	if said := f.Config.CloudProvider.UseInstanceMetadataHostname; said != nil && !*said && len(unnamed) == 0 {
		return byFile(len(pairs), "cluster.yml says so, and "), nil
	}
	against := againstMetadata(f, pairs, instances, targets)
	switch {
	case against == nil:
		return Rule{UseMetadata: true, Why: fmt.Sprintf("%s asks the metadata service for the name of each of %d nodes",
			toolsInForce(f, targets...)[0], len(pairs))}, nil
	case len(unnamed) == 0:
		return byFile(len(pairs), ""), nil
	}
	return Rule{}, notProven(f, pairs, unnamed, *against)
}

func byFile(n int, prefix string) Rule {
	return Rule{Why: fmt.Sprintf("%shostname_override is the Node's name on all %d nodes", prefix, n)}
}

// notNamed returns the pairs whose hostname_override is not the Node's name.
func notNamed(pairs []Pair) []Pair {
	var out []Pair
	for _, p := range pairs {
		if p.Host.Override != p.Node.Name {
			out = append(out, p)
		}
	}
	return out
}

func notProven(f rkestate.Facts, pairs, unnamed []Pair, against Obstacle) error {
	class := fault.Check
	if against.Unseen {
		class = fault.CouldNotLook
	}
	names := make([]string, 0, len(unnamed))
	for _, p := range unnamed {
		names = append(names, p.Node.Name)
	}
	object := against.Object
	if object == "" {
		object = "Node " + Few(names)
	}
	first := unnamed[0]
	return &fault.Error{Class: class, Reason: ReasonNotProven, Object: object,
		Seen: fmt.Sprintf("useInstanceMetadataHostname: true would rename nodes, or may: %s. false would rename %d of %d: node %s has hostname_override %q, its Node is %s",
			against.Seen, len(unnamed), len(pairs), first.Host.Address, first.Host.Override, first.Node.Name),
		Wanted: "a rule under which every Node keeps its name",
		Fix: fmt.Sprintf("either %s; or set hostname_override to the Node's name on every node of cluster.yml (%s: %s)",
			cmp.Or(against.Fix, inTreeUpgradeHint(f.State.Current.Config.KubernetesVersion)), first.Host.Address, first.Node.Name)}
}

// inTreeUpgradeHint describes the upgrade after which rke-tools sets the kubelet's name. It must
// happen while the provider is still in-tree; see toolsFor.
func inTreeUpgradeHint(kubernetes string) string {
	const to25, to26 = "v1.25.14-rancher1-1", "v1.26.9-rancher1-1"
	upgrade := func(to string) string {
		return "upgrade Kubernetes to " + to + " or a later patch first, with the provider still in-tree"
	}
	v, err := component.ParseVersion(kubernetes)
	switch {
	case err == nil && v.Minor == 25:
		return upgrade(to25)
	case err == nil && v.Minor >= 26:
		return upgrade(to26)
	}
	return upgrade(to25) + " (one minor version at a time)"
}

// OverrideArgs returns an error if the file gives one name to all nodes: it would override the
// names that rke or rke-tools set.
func OverrideArgs(c clusterfile.Config) error {
	for _, service := range []struct {
		name string
		clusterfile.Service
	}{{"kubelet", c.Services.Kubelet}, {"kubeproxy", c.Services.Kubeproxy}} {
		if value, given := service.Flag("hostname-override"); given {
			return &fault.Error{Class: fault.Check, Reason: ReasonNotProven, Object: "services." + service.name,
				Seen:   fmt.Sprintf("extra argument hostname-override=%s, the same for every node", value),
				Wanted: "none: it beats hostname_override and useInstanceMetadataHostname", Fix: "remove it, and set hostname_override per node"}
		}
	}
	return nil
}

// Obstacle describes a reason against useInstanceMetadataHostname: true.
type Obstacle struct {
	Object, Seen, Fix string
	Unseen            bool // nothing excludes it, but it could not be read
}

// againstMetadata returns nil if true is proven for every node.
func againstMetadata(f rkestate.Facts, pairs []Pair, instances cloud.Facts, targets []string) *Obstacle {
	tools := toolsInForce(f, targets...)
	if old, ok := atLeast(tools, toolsNameKubelet); !ok {
		return &Obstacle{Seen: fmt.Sprintf("%s; the kubelet's name is set from v%s on", old, toolsNameKubelet)}
	}
	for _, p := range pairs {
		if o := otherName(p, instances); o != nil {
			return o
		}
		if !p.Found() {
			return &Obstacle{Object: "Node " + p.Node.Name,
				Seen: fmt.Sprintf("rke would no longer find it: node %s has internal_address %s, the Node's InternalIP is %s",
					p.Host.Address, p.Host.Internal, cmp.Or(strings.Join(InternalIPs(p.Node), ", "), "missing")),
				Fix: "set internal_address to the Node's InternalIP in cluster.yml"}
		}
	}
	if old, ok := atLeast(tools, toolsAskIMDSv2); !ok {
		for _, p := range pairs {
			if o := needsTokens(p.Node, instances, old); o != nil {
				return o
			}
		}
	}
	return nil
}

// otherName returns an obstacle if the metadata service returns another name than the Node's. The
// in-tree kubelet writes the name that it read there to the InternalDNS addresses, several if
// DHCP options have several domains
// (kubernetes/legacy-cloud-providers:aws/aws.go@v0.26.13, NodeAddresses).
func otherName(p Pair, instances cloud.Facts) *Obstacle {
	object := "Node " + p.Node.Name
	for _, a := range p.Node.Addresses {
		if a.Type == "InternalDNS" && a.Address != p.Node.Name {
			return &Obstacle{Object: object, Seen: "its metadata service returns the name " + a.Address + " (address InternalDNS)",
				Fix: "give the VPC's DHCP options only EC2's own domain name"}
		}
	}
	instance, ok := instanceOf(p.Node, instances)
	switch {
	case !ok:
		return nil
	case instance.MetadataDisabled:
		return &Obstacle{Object: object, Seen: "the metadata service of instance " + instance.ID + " is switched off", Fix: "switch the metadata service on"}
	case instance.PrivateDNSName != "" && instance.PrivateDNSName != p.Node.Name:
		return &Obstacle{Object: object, Seen: "EC2's private DNS name of its instance is " + instance.PrivateDNSName, Fix: "find out why they differ"}
	}
	return nil
}

// WithoutToken returns the nodes whose metadata service does not, or may not, answer an older
// rke-tools, which asks without a token. It returns none if all rke-tools in force, and those of
// the targets, ask with a token.
func WithoutToken(f rkestate.Facts, nodes []downstream.Node, instances cloud.Facts, targets ...string) []Obstacle {
	old, ok := atLeast(toolsInForce(f, targets...), toolsAskIMDSv2)
	if ok {
		return nil
	}
	var found []Obstacle
	for i := range nodes {
		if o := needsTokens(&nodes[i], instances, old); o != nil {
			found = append(found, *o)
		}
	}
	return found
}

// needsTokens returns an obstacle if an instance does not, or may not, answer an older rke-tools:
// that uses the error page as the name.
func needsTokens(node *downstream.Node, instances cloud.Facts, old Tools) *Obstacle {
	object := "Node " + node.Name
	instance, ok := instanceOf(node, instances)
	switch {
	case !ok || instance.HTTPTokens == "":
		why := instances.Off
		if instances.On {
			why = "instance not found"
		}
		return &Obstacle{Object: object, Unseen: true,
			Seen: fmt.Sprintf("HttpTokens of its instance could not be seen (%s), and %s asks without a token", cmp.Or(why, "AWS was not asked"), old),
			Fix:  "let awsmigrate see the instances (credentials with ec2:DescribeInstances, --region)"}
	case instance.HTTPTokens == "required":
		return &Obstacle{Object: object, Seen: fmt.Sprintf("its instance has HttpTokens=required, and %s asks without a token", old),
			Fix: "set HttpTokens=optional on these instances for the migration"}
	}
	return nil
}

// Few formats up to three of many names.
func Few(names []string) string {
	const limit = 3
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}
