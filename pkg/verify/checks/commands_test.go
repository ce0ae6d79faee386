package checks

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/awschecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// damages returns the possible damages of Node and instance i; k is another Node.
func damages() []func(in *evidence.Input, i, k int) {
	set := func(change func(*cloud.Instance)) func(*evidence.Input, int, int) {
		return func(in *evidence.Input, i, _ int) {
			if _, there := in.Cloud.Instances.Value[healthyInstance(i).ID]; there {
				instance(in, i, change)
			}
		}
	}
	return []func(*evidence.Input, int, int){
		func(in *evidence.Input, i, k int) {
			node(in, i).ProviderID, node(in, k).ProviderID = node(in, k).ProviderID, node(in, i).ProviderID
		},
		func(in *evidence.Input, i, k int) { node(in, i).ProviderID = node(in, k).ProviderID },
		func(in *evidence.Input, i, _ int) {
			node(in, i).ProviderID = "aws:///eu-west-1a/" + healthyInstance(i).ID
		},
		func(in *evidence.Input, i, _ int) { node(in, i).ProviderID = "" },
		func(in *evidence.Input, i, _ int) { node(in, i).ProviderID = "aws:////" + healthyInstance(i).ID },
		func(in *evidence.Input, i, _ int) { node(in, i).ProviderID = healthyInstance(i).ID },
		func(in *evidence.Input, i, _ int) {
			node(in, i).ProviderID = "aws://us-east-1c/" + healthyInstance(i).ID + "/"
		},
		func(in *evidence.Input, i, _ int) { node(in, i).Labels[downstream.LabelZone] = "us-east-1f" },
		func(in *evidence.Input, i, _ int) { delete(node(in, i).Labels, downstream.LabelZone) },
		func(in *evidence.Input, i, _ int) { node(in, i).Addresses = nil },
		func(in *evidence.Input, i, k int) { node(in, i).Addresses = node(in, k).Addresses },
		func(in *evidence.Input, i, _ int) { delete(in.Cloud.Instances.Value, healthyInstance(i).ID) },
		func(in *evidence.Input, i, _ int) {
			in.Nodes.Value = slices.Delete(slices.Clone(in.Nodes.Value), i, i+1)
		},
		func(in *evidence.Input, i, _ int) {
			x := healthyInstance(i)
			in.Cloud.Unclaimed.Value = append(in.Cloud.Unclaimed.Value, x)
		},
		func(in *evidence.Input, _, _ int) {
			x := lost("running", "vpc-1")
			x.Zone = "us-east-1a"
			in.Cloud.Unclaimed.Value = append(in.Cloud.Unclaimed.Value, x)
		},
		func(in *evidence.Input, _, _ int) { in.Cloud.Subnets.Value["subnet-1"] = nil },
		set(func(i *cloud.Instance) { i.Zone = "us-east-1d" }), set(func(i *cloud.Instance) { i.Zone = "" }),
		set(func(i *cloud.Instance) { i.State = "terminated" }), set(func(i *cloud.Instance) { i.PrivateIPs = nil }),
		set(func(i *cloud.Instance) { i.Tags = nil }), set(func(i *cloud.Instance) { i.HTTPTokens = "required" }),
		set(func(i *cloud.Instance) { i.Tags = cloud.Tags{cloud.TagCluster + "other": "owned"} }),
		set(func(i *cloud.Instance) {
			i.State, i.Subnet, i.SecurityGroups, i.Tags, i.PrivateIPs, i.Zone = "terminated", "", nil, nil, nil, ""
		}),
	}
}

// complaints returns the failed findings by check and object.
func complaints(t *testing.T, in evidence.Input) map[string]verify.Finding {
	t.Helper()
	found := map[string]verify.Finding{}
	for _, res := range verify.RunAll(t.Context(), verify.Bind(in, readable(append(nodeChecks(), awschecks.All()...))...), verify.Options{Position: in.Position.Position}).Results {
		for _, f := range res.Findings {
			if f.Status == verify.Fail || f.Status == verify.Warn {
				if f.Fix == "" {
					f.Fix = res.Fix
				}
				found[res.ID+" "+f.Object] = f
			}
		}
	}
	return found
}

// A printed command names only what was observed. It settles its finding, causes no other, and
// does not touch an instance of another Node.
func TestCommandsAreSafeInTheStateTheyArePrintedFor(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	all := damages()
	followed := map[string]int{}
	for range 3000 {
		in := healthy(t, position.P0)
		in.Fingerprint = nil
		for range 1 + random.IntN(3) {
			n := len(in.Nodes.Value)
			all[random.IntN(len(all))](&in, random.IntN(n), random.IntN(n))
		}
		before := complaints(t, in)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			command := anyCommand.FindStringSubmatch(before[name].Fix)
			if command == nil {
				continue
			}
			if strings.HasPrefix(name, "AWSM-422") && slices.ContainsFunc(in.Nodes.Value, func(n downstream.Node) bool {
				return strings.Contains(command[1], "i-0000000"+strings.TrimPrefix(n.UID, "n"))
			}) {
				t.Errorf("%s: %s: the instance has a Node", name, command[1])
			}
			if look, does := follow(&in, command[1]); !does || look {
				t.Errorf("%s: %q does nothing that is known", name, command[1])
			}
			followed[name[:8]]++
			after := complaints(t, in)
			if _, still := after[name]; still {
				t.Errorf("%s stays after %q: %+v", name, command[1], after[name])
			}
			for other, f := range after {
				if _, was := before[other]; !was {
					t.Errorf("%q, printed for %s, makes %s: %+v", command[1], name, other, f)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	for _, id := range []string{"AWSM-303", "AWSM-406", "AWSM-408", "AWSM-409", "AWSM-422"} {
		if followed[id] < 5 {
			t.Errorf("%s: %d commands were followed, want more", id, followed[id])
		}
	}
}
