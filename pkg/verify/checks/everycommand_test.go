package checks

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// printing lists the checks that print a command. A new form of command needs a case in follow,
// so that the test below executes it.
func printing() []string {
	return strings.Fields("AWSM-132 AWSM-205 AWSM-215 AWSM-301 AWSM-303 AWSM-308 AWSM-310 AWSM-406 AWSM-408 AWSM-409 AWSM-418 AWSM-422 " +
		"AWSM-201 AWSM-601 AWSM-602 AWSM-603 AWSM-611 AWSM-802")
}

// The general fix of a check is no command: it cannot know the name of its object.
func TestNoCommandIsForEveryState(t *testing.T) {
	for _, m := range verify.Metas(append(Alone(), all()...)...) {
		if command := anyCommand.FindString(m.Fix); command != "" {
			t.Errorf("%s: %q", m.ID, command)
		}
	}
}

// failing returns the failed findings of a whole audit by check and object.
func failing(t *testing.T, in evidence.Input) map[string]verify.Finding {
	t.Helper()
	found := map[string]verify.Finding{}
	for _, res := range audit(t, in).Results {
		for _, f := range res.Findings {
			if f.Status == verify.Fail || f.Status == verify.Warn && found[res.ID+" "+f.Object].Status != verify.Fail {
				f.Fix = evidence.OrElse(f.Fix, res.Fix)
				found[res.ID+" "+f.Object] = f
			}
		}
	}
	return found
}

// allBreak reports whether all traps could be applied: none needs an object that another one
// removed.
func allBreak(in *evidence.Input, breaks ...func(*evidence.Input)) (all bool) {
	defer func() { all = recover() == nil }()
	for _, b := range breaks {
		b(in)
	}
	return true
}

// With any two defects at once, a printed command names existing objects. It settles its finding,
// and causes no other failure.
func TestEveryCommandIsSafeInTheStateItIsPrintedFor(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	followed := map[string]int{}
	traps := map[position.Position][]trap{}
	all := checkTraps()
	for _, tc := range all {
		traps[tc.at] = append(traps[tc.at], tc)
	}
	extra := []func(*evidence.Input){
		func(in *evidence.Input) { node(in, 4).Ready.Status = "False" },
		func(in *evidence.Input) { in.Fingerprint = nil },
		func(in *evidence.Input) {
			delete(in.Cloud.Instances.Value, healthyInstance(4).ID)
			node(in, 4).ProviderID = ""
			in.Cloud.Unclaimed.Value = append(slices.Clone(in.Cloud.Unclaimed.Value), healthyInstance(4))
		},
		func(in *evidence.Input) {
			node(in, 4).Taints = []downstream.Taint{{Key: downstream.TaintOutOfService, Effect: "NoExecute"}}
		},
		func(in *evidence.Input) {
			node(in, 4).Labels[downstream.LabelZone] = "us-east-1f"
			instance(in, 5, func(i *cloud.Instance) { i.Tags = nil })
		},
		func(in *evidence.Input) {
			in.Charts.Value = []downstream.Chart{{Object: downstream.Object{Kind: "HelmChart", Namespace: "kube-system", Name: wellknown.CCM}}}
			in.CCMObjects.Value = []downstream.Object{{Kind: "ServiceAccount", Namespace: "kube-system", Name: "cloud-controller-manager"}}
		},
		func(*evidence.Input) {},
	}
	const pairs = 6 // of every trap
	for i := range pairs * len(all) {
		first := all[i/pairs]
		second := traps[first.at][random.IntN(len(traps[first.at]))]
		in := healthy(t, first.at)
		if first.want == verify.Unknown || second.want == verify.Unknown {
			continue // one trap hides the other
		}
		if !allBreak(&in, first.breaks, second.breaks, extra[random.IntN(len(extra))]) {
			continue
		}
		state := first.id + " " + first.name + ", " + second.id + " " + second.name
		before := failing(t, in)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			m := anyCommand.FindStringSubmatch(before[name].Fix)
			if m == nil {
				continue
			}
			followed[name[:8]]++
			looks, does := follow(&in, m[1])
			if !does || strings.Contains(m[1], "''") {
				t.Errorf("%s: %s: %q does nothing that is known", state, name, m[1])
			}
			after := failing(t, in)
			if still := after[name]; !looks && still.Status == before[name].Status {
				t.Errorf("%s: %s stays after %q: %+v", state, name, m[1], still)
			}
			for other, f := range after {
				shown := strings.HasPrefix(name, "AWSM-301") && (strings.Contains(other, strings.TrimPrefix(name, "AWSM-301 ")+" (") || // its instance is looked at now
					strings.TrimPrefix(other, "AWSM-303 ") == strings.TrimPrefix(name, "AWSM-301 ") || // and so is the zone that it was given,
					strings.HasPrefix(other, "AWSM-801 Service")) // and its place among the targets
				if was := before[other]; f.Status == verify.Fail && was.Status != verify.Fail && !shown {
					t.Errorf("%s: %q, printed for %s, makes %s: %+v", state, m[1], name, other, f)
				}
			}
			before = after
			if t.Failed() {
				return
			}
		}
	}
	for _, id := range printing() {
		if followed[id] < 3 {
			t.Errorf("%s: %d commands were followed, want more", id, followed[id])
		}
	}
	for id := range followed {
		if !slices.Contains(printing(), id) {
			t.Errorf("%s prints commands and is not in the list", id)
		}
	}
}
