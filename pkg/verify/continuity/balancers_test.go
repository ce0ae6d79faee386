package continuity

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// printed returns a fingerprint with load balancers that have all nodes as targets.
func printed(nodes, balancers int) Fingerprint {
	fp := Fingerprint{Schema: schema}
	var targets []string
	for i := range nodes {
		id := fmt.Sprintf("i-%017x", i*7919)
		fp.Nodes = append(fp.Nodes, NodePrint{Name: "ip-" + id + ".ec2.internal", UID: id, ProviderID: "aws:///us-east-1a/" + id})
		targets = append(targets, id)
	}
	for i := range balancers {
		name := fmt.Sprintf("a%031x", i*104729)
		b := BalancerPrint{Type: "network", Aspects: map[cloud.Aspect][]string{cloud.HostName: {name + ".elb"}}}
		for _, id := range targets {
			b.Aspects[cloud.Targets] = append(b.Aspects[cloud.Targets], fmt.Sprintf("%s port %d", id, 30000+i))
		}
		c := cloud.Balancer{Name: name, Type: b.Type, Aspects: b.Aspects}
		fp.Services = append(fp.Services, ServicePrint{Namespace: "web", Name: name, UID: name[1:], Balancer: balancerPrintOf(c)})
	}
	return fp
}

// A fingerprint always fits the journal. What does not fit is left out, the targets first.
func TestEncode_manyBalancers_fits(t *testing.T) {
	for _, tt := range []struct {
		nodes, balancers int
		targets          bool
	}{{6, 3, true}, {100, 50, true}, {1000, 200, false}} {
		packed, err := printed(tt.nodes, tt.balancers).Encode()
		if err != nil || len(packed) > maxEncoded {
			t.Fatalf("%d nodes, %d load balancers: %d bytes, %v", tt.nodes, tt.balancers, len(packed), err)
		}
		got, err := Decode(packed)
		if err != nil {
			t.Fatal(err)
		}
		if _, has := got.Services[0].Balancer.values(cloud.Targets); has != tt.targets || !got.HasBalancers() || len(got.Nodes) != tt.nodes {
			t.Errorf("%d nodes, %d load balancers: %d bytes, targets %t", tt.nodes, tt.balancers, len(packed), has)
		}
		t.Logf("%d nodes, %d load balancers: %d bytes", tt.nodes, tt.balancers, len(packed))
	}
}

// Targets are encoded as one value and compared one by one.
func TestBalancerPrint_targets_separate(t *testing.T) {
	b := balancerPrintOf(cloud.Balancer{Aspects: map[cloud.Aspect][]string{cloud.Targets: {"i-1", "i-2"}}})
	if got, known := b.values(cloud.Targets); !known || !slices.Equal(got, []string{"i-1", "i-2"}) || len(b.Aspects[cloud.Targets]) != 1 {
		t.Errorf("%v %v", got, b.Aspects)
	}
}

// A load balancer is recorded once it is complete, as the only one of a Service that a cloud
// provider serves.
func TestTake_balancers(t *testing.T) {
	const uid = "0a1b2c3d-4e5f-4678-9abc-def012345678"
	classic := cloud.Balancer{Name: cloud.BalancerName(uid), Type: cloud.Classic}
	network := cloud.Balancer{Name: cloud.BalancerName(uid), Type: "network"}
	whole := downstream.Service{Namespace: "web", Name: "front", UID: uid, Hostnames: []string{"a.elb"}}
	young, other := whole, whole
	young.Hostnames, other.Class = nil, "service.k8s.aws/nlb"
	for name, tt := range map[string]struct {
		service downstream.Service
		found   verify.Read[[]cloud.Balancer]
		want    bool
	}{
		"complete":            {whole, verify.Got([]cloud.Balancer{classic}), true},
		"still being created": {young, verify.Got([]cloud.Balancer{classic}), false},
		"two":                 {whole, verify.Got([]cloud.Balancer{classic, network}), false},
		"another controller":  {other, verify.Got([]cloud.Balancer{classic}), false},
		"not there":           {whole, verify.Got([]cloud.Balancer{}), false},
		"not read":            {whole, verify.Failed[[]cloud.Balancer](errors.New("denied")), false},
	} {
		f := facts(aNode(0))
		f.Services = verify.Got([]downstream.Service{tt.service})
		fp, err := Take(f, cloud.Facts{Balancers: tt.found})
		if err != nil || fp.HasBalancers() != tt.want {
			t.Errorf("%s: %t, %v", name, fp.HasBalancers(), err)
		}
	}
}
