package continuity

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// Nodes count by name, UID and ProviderID. Addresses count separately. New Nodes do not count.
func TestUnchangedNodes(t *testing.T) {
	fp, err := Take(facts(aNode(0), aNode(1), aNode(2)), cloud.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		changed func(*downstream.Node)
		same    int
		at      int // with the same addresses
	}{
		"as they were": {func(*downstream.Node) {}, 3, 3},
		"labels":       {func(n *downstream.Node) { n.Labels["a"] = "b" }, 3, 3},
		"name":         {func(n *downstream.Node) { n.Name = "x" }, 2, 2},
		"UID":          {func(n *downstream.Node) { n.UID = "x" }, 2, 3},
		"ProviderID":   {func(n *downstream.Node) { n.ProviderID = "aws:///us-east-1a/i-1" }, 2, 3},
		"addresses":    {func(n *downstream.Node) { n.Addresses = nil }, 3, 2},
	} {
		got := fp.UnchangedNodes(facts(aNode(0), with(aNode(1), tt.changed), aNode(2), aNode(3)), machines(0, 1, 2, 3))
		want := Tally{Same: tt.same, Of: 3}
		if tt.same < 3 {
			want.Others = []string{"n1"}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if got, _ := fp.UnchangedAddresses(facts(aNode(0), with(aNode(1), tt.changed), aNode(2), aNode(3))); got.Same != tt.at || got.Of != 3 {
			t.Errorf("%s: addresses %+v", name, got)
		}
	}
	if got := fp.UnchangedNodes(facts(aNode(0)), nil); got.Same != 1 || len(got.Others) != 2 {
		t.Errorf("two are gone: %+v", got)
	}
	away := facts()
	away.Nodes = verify.Read[[]downstream.Node]{Err: errors.New("away")}
	if got := fp.UnchangedNodes(away, machines(0)); got.Err == nil || got.Same != 0 {
		t.Errorf("not read: %+v", got)
	}
	if got, _ := fp.UnchangedAddresses(away); got.Err == nil || got.Same != 0 {
		t.Errorf("addresses not read: %+v", got)
	}
}

// A load balancer counts by the Service's UID and its host names, in any order. A Service
// without one does not count.
func TestUnchangedLoadBalancers(t *testing.T) {
	service := func(name, uid string, hosts ...string) downstream.Service {
		return downstream.Service{Namespace: "web", Name: name, UID: uid, Hostnames: hosts}
	}
	before := facts()
	before.Services = verify.Got([]downstream.Service{service("a", "1", "x", "y"), service("b", "2", "z"), service("pending", "3")})
	fp, err := Take(before, cloud.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		now  verify.Read[[]downstream.Service]
		want Tally
	}{
		"as they were": {verify.Got([]downstream.Service{service("a", "1", "y", "x"), service("b", "2", "z"), service("new", "4", "n")}), Tally{Same: 2, Of: 2}},
		"another host": {verify.Got([]downstream.Service{service("a", "1", "y"), service("b", "2", "z")}), Tally{Same: 1, Of: 2, Others: []string{"web/a"}}},
		"made again":   {verify.Got([]downstream.Service{service("a", "1", "y", "x"), service("b", "5", "z")}), Tally{Same: 1, Of: 2, Others: []string{"web/b"}}},
		"deleted":      {verify.Got([]downstream.Service{}), Tally{Of: 2, Others: []string{"web/a", "web/b"}}},
	} {
		if d := cmp.Diff(tt.want, fp.UnchangedLoadBalancers(downstream.Facts{Services: tt.now})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := fp.UnchangedLoadBalancers(downstream.Facts{}); got.Err == nil {
		t.Errorf("not read: %+v", got)
	}
}
