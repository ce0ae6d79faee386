package continuity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Types of addresses that are compared by more than their text.
const (
	internalIP  = "InternalIP"
	internalDNS = "InternalDNS"
	hostname    = "Hostname"
)

// Addresses reports Nodes whose addresses are not those of the fingerprint: while
// in-tree kubelets and a CCM both write them they may flap, and a change of the
// host name address announces a rename.
func Addresses(fp Fingerprint, nodes []downstream.Node) []verify.Finding {
	var out []verify.Finding
	for _, m := range moved(fp, nodes) {
		f := verify.Finding{Status: verify.Warn, Object: "Node " + m.Was.Name, Seen: m.text(m.now), Wanted: m.text(m.then), Fix: m.fix()}
		if !m.matters() {
			f.Status, f.Seen = verify.OK, f.Seen+", its private DNS name as a CCM writes it; it was "+f.Wanted
			f.Wanted, f.Fix = "", ""
		}
		out = append(out, f)
	}
	return out
}

// move is a change of a Node's addresses.
type move struct {
	Was       NodePrint
	then, now map[string][]string // by type, in the API's order
	types     []string            // those that changed, sorted
}

// moved returns the Nodes of the fingerprint with other addresses, in the order of
// nodes. Of each type the first address counts, since clients take that one, and
// the others in any order.
func moved(fp Fingerprint, nodes []downstream.Node) []move {
	before := map[string]NodePrint{}
	for _, p := range fp.Nodes {
		before[p.Name] = p
	}
	var all []move
	for _, n := range nodes {
		p, ok := before[n.Name]
		if !ok {
			continue
		}
		m := move{Was: p, then: byType(p.Addresses), now: byType(addresses(n))}
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

// byType leaves out repetitions: an in-tree kubelet and a CCM name a host once or
// several times.
func byType(list []string) map[string][]string {
	out := map[string][]string{}
	for _, one := range list {
		if kind, address, _ := strings.Cut(one, "="); !slices.Contains(out[kind], address) {
			out[kind] = append(out[kind], address)
		}
	}
	return out
}

// matters reports whether the change is more than the one every migration may make:
// a CCM writes the private DNS name as Hostname too, where a kubelet had its own
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.14 extractIPv4NodeAddresses).
func (m move) matters() bool {
	return !slices.Equal(m.types, []string{hostname}) || len(m.now[hostname]) != 1 || !slices.Contains(m.now[internalDNS], m.now[hostname][0])
}

// first reports whether the address by which an API server reaches the kubelet is
// another one.
func (m move) first() bool {
	then, now := m.then[internalIP], m.now[internalIP]
	return len(then) > 0 && len(now) > 0 && then[0] != now[0]
}

func (m move) fix() string {
	if !m.first() {
		return ""
	}
	return fmt.Sprintf("see that API servers reach the kubelet at %s (kubectl logs of a pod there), and that nothing else relies on %s; the kubelet's argument node-ip=%s gives the old one back, with Kubernetes 1.23 or later",
		m.now[internalIP][0], m.then[internalIP][0], m.then[internalIP][0])
}

// text names the addresses of the types that changed.
func (m move) text(side map[string][]string) string {
	parts := make([]string, 0, len(m.types))
	for _, kind := range m.types {
		parts = append(parts, kind+" "+orNone(side[kind]))
	}
	return strings.Join(parts, "; ")
}
