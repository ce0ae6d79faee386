package continuity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Address types with their own rules of comparison.
const (
	internalIP  = "InternalIP"
	internalDNS = "InternalDNS"
	hostname    = "Hostname"
)

// Addresses reports Nodes whose addresses differ from the fingerprint. Addresses can flap
// while in-tree kubelets and a CCM both write them. A changed host name address announces a
// rename.
func Addresses(fp Fingerprint, nodes []downstream.Node) []verify.Finding {
	var out []verify.Finding
	for _, m := range addressChanges(fp, nodes) {
		f := verify.Finding{Status: verify.Warn, Object: "Node " + m.Was.Name, Seen: m.text(m.now), Wanted: m.text(m.then), Fix: m.fix()}
		if !m.matters() {
			f.Status, f.Seen = verify.OK, f.Seen+", its private DNS name as a CCM writes it; it was "+f.Wanted
			f.Wanted, f.Fix = "", ""
		}
		out = append(out, f)
	}
	return out
}

// addressChange holds a Node's old and new addresses.
type addressChange struct {
	Was       NodePrint
	then, now map[string][]string // by type, in the API's order
	types     []string            // the types that changed, sorted
}

// addressChanges returns the fingerprinted Nodes whose addresses changed, in the order of
// nodes. The first address of each type counts, because clients use it. The order of the
// others does not.
func addressChanges(fp Fingerprint, nodes []downstream.Node) []addressChange {
	before := map[string]NodePrint{}
	for _, p := range fp.Nodes {
		before[p.Name] = p
	}
	var all []addressChange
	for _, n := range nodes {
		p, ok := before[n.Name]
		if !ok {
			continue
		}
		m := addressChange{Was: p, then: byType(p.Addresses), now: byType(addresses(n))}
		types := map[string]bool{}
		for _, side := range []map[string][]string{m.then, m.now} {
			for kind := range side {
				types[kind] = types[kind] || !sameAddresses(m.then[kind], m.now[kind])
			}
		}
		maps.DeleteFunc(types, func(_ string, changed bool) bool { return !changed })
		if m.types = slices.Sorted(maps.Keys(types)); len(m.types) > 0 {
			all = append(all, m)
		}
	}
	return all
}

func sameAddresses(then, now []string) bool {
	return len(then) > 0 && len(now) > 0 && then[0] == now[0] && slices.Equal(sorted(then), sorted(now))
}

func addresses(n downstream.Node) []string {
	var out []string
	for _, a := range n.Addresses {
		out = append(out, a.Type+"="+a.Address)
	}
	return out
}

// byType groups addresses by type without repetitions. An in-tree kubelet and a CCM repeat a
// host name a different number of times.
func byType(list []string) map[string][]string {
	out := map[string][]string{}
	for _, one := range list {
		if kind, address, _ := strings.Cut(one, "="); !slices.Contains(out[kind], address) {
			out[kind] = append(out[kind], address)
		}
	}
	return out
}

// matters reports whether the change is more than the expected one. A CCM also writes the
// private DNS name as Hostname, where a kubelet wrote its own host name
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.14 extractIPv4NodeAddresses).
func (m addressChange) matters() bool {
	return !slices.Equal(m.types, []string{hostname}) || len(m.now[hostname]) != 1 || !slices.Contains(m.now[internalDNS], m.now[hostname][0])
}

// firstChanged reports whether the address at which API servers reach the kubelet changed.
func (m addressChange) firstChanged() bool {
	then, now := m.then[internalIP], m.now[internalIP]
	return len(then) > 0 && len(now) > 0 && then[0] != now[0]
}

func (m addressChange) fix() string {
	if !m.firstChanged() {
		return ""
	}
	return fmt.Sprintf("see that API servers reach the kubelet at %s (kubectl logs of a pod there), and that nothing else relies on %s; the kubelet's argument node-ip=%s gives the old one back, with Kubernetes 1.23 or later",
		m.now[internalIP][0], m.then[internalIP][0], m.then[internalIP][0])
}

// text lists the addresses of the changed types.
func (m addressChange) text(side map[string][]string) string {
	parts := make([]string, 0, len(m.types))
	for _, kind := range m.types {
		parts = append(parts, kind+" "+orNone(side[kind]))
	}
	return strings.Join(parts, "; ")
}
