package checks

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// firstAddressStays warns about Nodes whose first internal address the CCM may change. Without
// the argument node-ip the in-tree provider sorts the addresses of all interfaces by device
// number. A CCM keeps the order of EC2's answer, which is undefined.
func firstAddressStays(in evidence.Input) []verify.Finding {
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	image := ccmOfSwitch(in)
	switch movable := slices.ContainsFunc(in.Nodes.Value, func(n downstream.Node) bool { return firstMayMove(n, image) }); {
	case !movable || sortsInterfaces(image):
		return nil
	case !image.Known():
		return []verify.Finding{verify.Undecided(wellknown.CCM, "its version is not known: whether it lists a node's interfaces in order")}
	}
	return evidence.EachInstance(in, func(p evidence.Pair) []verify.Finding {
		if p.Instance.Interfaces == 1 || !firstMayMove(p.Node, image) || len(ipv4(p.Instance.PrivateIPs)) < 2 {
			return nil
		}
		return []verify.Finding{verify.Warning(p.Object(), interfacesSeen(p)+fmt.Sprintf(", and a CCM of %d.%d lists them in any order", image.Major, image.Minor),
			"InternalIP "+evidence.OrElse(firstIP(p.Node.InternalIPs()), "of the first interface")+" first", keepFirst(p.Node, image))}
	})
}

func interfacesSeen(p evidence.Pair) string {
	if p.Instance.Interfaces == 0 { // EC2 did not report them
		return "several addresses, perhaps on several network interfaces: " + evidence.Some(ipv4(p.Instance.PrivateIPs))
	}
	return fmt.Sprintf("%d network interfaces: %s", p.Instance.Interfaces, evidence.Some(ipv4(p.Instance.PrivateIPs)))
}

// keepFirst returns the argument that makes kubelet and CCM keep an address first. CCMs of 1.22
// only check that the node has it (k8s.io/cloud-provider@v0.22.17 ensureNodeProvidedIPExists,
// v0.23.17 PreferNodeIP).
func keepFirst(n downstream.Node, image component.Version) string {
	if image.Minor == 22 {
		return "upgrade to Kubernetes 1.23 or later first, and give the kubelet the argument node-ip: the CCM for 1.22 does not follow it"
	}
	return "give the node's kubelet the argument node-ip=" + evidence.OrElse(firstIP(n.InternalIPs()), "ADDRESS") + ", or upgrade to Kubernetes 1.26 first"
}

// firstMayMove reports whether a CCM of that version may put another address first. A kubelet
// with node-ip shows only one internal address.
func firstMayMove(n downstream.Node, image component.Version) bool {
	if image.Minor == 22 {
		return true
	}
	args, _, err := n.NodeArgs()
	return severalIPs(n) && (err != nil || args.Last("node-ip") == "" && args.Kubelet("node-ip") == "")
}

func severalIPs(n downstream.Node) bool { return len(ipv4(n.InternalIPs())) > 1 }

// ipv4 returns the addresses that a CCM lists by default, each once.
func ipv4(ips []string) []string {
	var out []string
	for _, ip := range ips {
		if a, err := netip.ParseAddr(ip); err == nil && a.Unmap().Is4() && !slices.Contains(out, ip) {
			out = append(out, ip)
		}
	}
	return out
}

func firstIP(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// ccmOfSwitch returns the version of the CCM that runs or would be installed, or else that of
// Kubernetes, which the CCM's follows.
func ccmOfSwitch(in evidence.Input) component.Version {
	sets := in.DaemonSets.Value
	if in.Planned != nil {
		sets = []downstream.DaemonSet{*in.Planned}
	}
	for _, d := range sets {
		for _, c := range d.Containers {
			if strings.Contains(c.Name, "cloud-controller-manager") {
				v, _ := component.ImageVersion(c.Image)
				return v
			}
		}
	}
	v, err := component.ParseVersion(in.Version.Value)
	if err == nil && v.Minor >= 26 {
		v.Patch = 99 // the newest patch release
	}
	return v
}

// sortsInterfaces reports whether a CCM lists a node's interfaces by device number
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go extractIPv4NodeAddresses at
// each tag: from v1.26.12, v1.27.7, v1.28.6 and v1.29.3 on).
func sortsInterfaces(v component.Version) bool {
	since := map[int]int{26: 12, 27: 7, 28: 6, 29: 3}
	if patch, ok := since[v.Minor]; ok && v.Major == 1 {
		return v.Patch >= patch
	}
	return v.AtLeast(1, 30)
}
