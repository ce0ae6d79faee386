package continuity

import (
	"fmt"
	"slices"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
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
