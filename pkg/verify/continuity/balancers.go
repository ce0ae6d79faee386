package continuity

import (
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// BalancerPrint holds the state of a Service's load balancer in AWS.
type BalancerPrint struct {
	Type    string                    `json:"type"`
	Aspects map[cloud.Aspect][]string `json:"aspects"`
}

// balancerPrint returns the state of the load balancer of a Service, or nil if it was not read, is
// not exactly one, or is still being created: a controller writes the host name to the Service's
// status at the end (k8s.io/cloud-provider:controllers/service/controller.go@v0.26.0).
func balancerPrint(s downstream.Service, c cloud.Facts) *BalancerPrint {
	if s.Elsewhere() || len(s.Hostnames) == 0 || !c.Balancers.OK() {
		return nil
	}
	var found *BalancerPrint
	for _, b := range c.Balancers.Value {
		if b.Name != cloud.BalancerName(s.UID) {
			continue
		}
		if found != nil {
			return nil // AWSM-805
		}
		found = balancerPrintOf(b)
	}
	return found
}

// balancerPrintOf returns the state of a load balancer. Its targets are one value, because every
// Node is a target of every load balancer.
func balancerPrintOf(b cloud.Balancer) *BalancerPrint {
	p := &BalancerPrint{Type: b.Type, Aspects: maps.Clone(b.Aspects)}
	if targets, read := b.Aspects[cloud.Targets]; read {
		p.Aspects[cloud.Targets] = []string{strings.Join(targets, "\n")}
	}
	return p
}

// values returns the values of an aspect, and whether the fingerprint has it.
func (b *BalancerPrint) values(aspect cloud.Aspect) ([]string, bool) {
	if b == nil {
		return nil, false
	}
	values, known := b.Aspects[aspect]
	if aspect == cloud.Targets && known {
		values = strings.Split(strings.Join(values, "\n"), "\n")
	}
	return values, known
}

// withoutTargets returns the fingerprint without the targets of load balancers.
func (fp Fingerprint) withoutTargets() Fingerprint {
	return fp.withBalancers(func(b BalancerPrint) *BalancerPrint {
		b.Aspects = maps.Clone(b.Aspects)
		delete(b.Aspects, cloud.Targets)
		return &b
	})
}

// withoutBalancers returns the fingerprint without load balancers in AWS.
func (fp Fingerprint) withoutBalancers() Fingerprint {
	return fp.withBalancers(func(BalancerPrint) *BalancerPrint { return nil })
}

func (fp Fingerprint) withBalancers(change func(BalancerPrint) *BalancerPrint) Fingerprint {
	fp.Services = slices.Clone(fp.Services)
	for i, p := range fp.Services {
		if p.Balancer != nil {
			fp.Services[i].Balancer = change(*p.Balancer)
		}
	}
	return fp
}

// BalancerChange describes one changed property of a load balancer.
type BalancerChange struct {
	Service string // namespace/name
	Aspect  cloud.Aspect
	// Gone and Added are the values that are only in the fingerprint, and only there now.
	Gone, Added []string
}

// Text returns the change without the Service: "listeners: - TCP 80 to TCP 31000".
func (c BalancerChange) Text() string {
	var parts []string
	for _, v := range c.Gone {
		parts = append(parts, "- "+v)
	}
	for _, v := range c.Added {
		parts = append(parts, "+ "+v)
	}
	return string(c.Aspect) + ": " + strings.Join(parts, ", ")
}

// gone is the aspect of a load balancer that does not exist any longer.
const gone cloud.Aspect = "load balancer"

// BalancerChanges compares the load balancers in AWS with the fingerprint, and counts those that
// were compared. It compares a property only if both readings have it. A Service that its owner
// changed or deleted since is not compared. The targets of Nodes that joined, left or are not
// ready may differ.
func (fp Fingerprint) BalancerChanges(f downstream.Facts, c cloud.Facts) (changes []BalancerChange, compared int) {
	if !f.Services.OK() || !f.Nodes.OK() || !c.Balancers.OK() {
		return nil, 0
	}
	now, steady := map[string]downstream.Service{}, fp.steadyInstances(f.Nodes.Value)
	for _, s := range f.Services.Value {
		now[s.Namespace+"/"+s.Name+"/"+s.UID] = s
	}
	for _, p := range fp.Services {
		s, has := now[p.name()+"/"+p.UID]
		if p.Balancer == nil || !has || s.Deleting || s.Spec != p.Spec {
			continue
		}
		compared++
		changes = append(changes, p.changes(s, c, steady)...)
	}
	return changes, compared
}

func (p ServicePrint) changes(s downstream.Service, c cloud.Facts, steady map[string]bool) []BalancerChange {
	is := slices.IndexFunc(c.Balancers.Value, func(b cloud.Balancer) bool {
		return b.Name == cloud.BalancerName(s.UID) && b.Type == p.Balancer.Type
	})
	if is < 0 {
		return []BalancerChange{{Service: p.name(), Aspect: gone, Gone: []string{p.Balancer.Type + " load balancer " + cloud.BalancerName(s.UID)}}}
	}
	var changes []BalancerChange
	for _, aspect := range cloud.AllAspects() {
		before, known := p.Balancer.values(aspect)
		after, read := c.Balancers.Value[is].Aspects[aspect]
		if !known || !read {
			continue
		}
		earlier, set := p.Earlier.values(aspect)
		if aspect == cloud.Targets {
			before, after, earlier = onlySteady(before, steady), onlySteady(after, steady), onlySteady(earlier, steady)
		}
		if set && slices.Equal(after, earlier) {
			continue
		}
		change := BalancerChange{Service: p.name(), Aspect: aspect, Gone: without(before, after), Added: without(after, before)}
		if len(change.Gone)+len(change.Added) > 0 {
			changes = append(changes, change)
		}
	}
	return changes
}

// steadyInstances returns the instances of Nodes that are in the fingerprint and are ready now.
func (fp Fingerprint) steadyInstances(nodes []downstream.Node) map[string]bool {
	before := map[string]bool{}
	for _, p := range fp.Nodes {
		before[p.ProviderID] = true
	}
	steady := map[string]bool{}
	for _, n := range nodes {
		if _, id, ok := downstream.ParseProviderID(n.ProviderID); ok && before[n.ProviderID] && n.Ready.Status == "True" {
			steady[id] = true
		}
	}
	return steady
}

// onlySteady returns the targets of steady instances. A target begins with its instance's ID.
func onlySteady(targets []string, steady map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(targets), func(t string) bool {
		id, _, _ := strings.Cut(t, " ")
		return !steady[id]
	})
}

// without returns the values of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return slices.Contains(b, v) })
}

// ChangedInAWS returns a finding with the status for each changed property of a load balancer.
func ChangedInAWS(changes []BalancerChange, status verify.Status) []verify.Finding {
	var out []verify.Finding
	for _, c := range changes {
		out = append(out, verify.Finding{Status: status, Object: "Service " + c.Service, Seen: "its load balancer changed in AWS: " + c.Text(), Wanted: "no change since the fingerprint",
			Fix: "find out who changed it (CloudTrail); a controller restores what it manages at the Service's next sync"})
	}
	return out
}

// unchangedInAWS counts the load balancers without a change in AWS.
func (fp Fingerprint) unchangedInAWS(f downstream.Facts, c cloud.Facts) Tally {
	changes, compared := fp.BalancerChanges(f, c)
	t := Tally{Of: compared}
	for _, change := range changes {
		if !slices.Contains(t.Others, change.Service) {
			t.Others = append(t.Others, change.Service)
		}
	}
	t.Others = sorted(t.Others)
	t.Same = compared - len(t.Others)
	return t
}

// HasBalancers reports whether the fingerprint holds a load balancer in AWS.
func (fp Fingerprint) HasBalancers() bool {
	return slices.ContainsFunc(fp.Services, func(p ServicePrint) bool { return p.Balancer != nil })
}

// WithBalancers returns the fingerprint with the load balancers of a later one: their state in AWS
// and the spec from which it was made. Host names stay those of the first.
func (fp Fingerprint) WithBalancers(later Fingerprint) Fingerprint {
	fp.Services = slices.Clone(fp.Services)
	for _, l := range later.Services {
		is := slices.IndexFunc(fp.Services, func(p ServicePrint) bool { return p.UID == l.UID && p.name() == l.name() })
		switch {
		case l.Balancer == nil:
		case is < 0:
			fp.Services = append(fp.Services, l)
		default:
			if p := &fp.Services[is]; p.Spec == l.Spec {
				p.Earlier = p.Balancer
			}
			fp.Services[is].Balancer, fp.Services[is].Spec = l.Balancer, l.Spec
		}
	}
	return fp
}
