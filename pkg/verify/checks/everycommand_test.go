package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"path/filepath"
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

// printing are the functions that make a command for a finding, each with the checks
// that print it. A new one needs a form in known, so that it is followed below.
var printing = map[string]string{
	"lookAt": "AWSM-132 AWSM-611", "labelPlace": "AWSM-303", "giveProviderID": "AWSM-301", "cordons": "AWSM-308", "Cordons": "AWSM-308", "shutDown": "AWSM-310",
	"createTag": "AWSM-406 AWSM-408", "deleteTags": "AWSM-422", "allowMetadata": "AWSM-409", "grantCommand": "AWSM-418",
	"stopStray": "AWSM-205 AWSM-215", "removal": "AWSM-601 AWSM-602 AWSM-603", "balancersExist": "AWSM-802",
	"grantCommands": "AWSM-201", // a constant
}

// Every function that makes a command is in the list, and every one of the list does.
func TestEveryCommandIsListed(t *testing.T) {
	made := map[string]bool{"grantCommands": true}
	for _, folder := range []string{".", "awschecks", "evidence", "../continuity", "../downstream", "../component", "../position", "../lease"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, is := d.(*ast.FuncDecl)
				if is && callsCommand(f) {
					made[f.Name.Name] = true
				}
			}
		}
	}
	if want, got := slices.Sorted(maps.Keys(printing)), slices.Sorted(maps.Keys(made)); !slices.Equal(got, want) {
		t.Errorf("commands are made in %v, the list has %v", got, want)
	}
}

func callsCommand(f *ast.FuncDecl) bool {
	calls := false
	ast.Inspect(f, func(n ast.Node) bool {
		s, is := n.(*ast.SelectorExpr)
		if is {
			x, named := s.X.(*ast.Ident)
			calls = calls || named && x.Name == "fault" && s.Sel.Name == "Command"
		}
		return true
	})
	return calls
}

// What a check says of itself, in every state, is no command: it cannot know what to
// name.
func TestNoCommandIsForEveryState(t *testing.T) {
	for _, m := range verify.Metas(append(Alone(), all()...)...) {
		if command := anyCommand.FindString(m.Fix); command != "" {
			t.Errorf("%s: %q", m.ID, command)
		}
	}
}

// failing are what is wrong in a whole audit, by check and object.
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

// allBreak says whether none of the traps needs what another one has taken away.
func allBreak(in *evidence.Input, breaks ...func(*evidence.Input)) (all bool) {
	defer func() { all = recover() == nil }()
	for _, b := range breaks {
		b(in)
	}
	return true
}

// Whatever two things are wrong at once, in whatever part of a cluster, a command that
// is printed names what is there; followed, it settles what it was printed for, and
// nothing fails that did not before.
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
			continue // that hides what is there
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
					strings.TrimPrefix(other, "AWSM-303 ") == strings.TrimPrefix(name, "AWSM-301 ")) // and so is the zone that it was given
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
	for _, ids := range printing {
		for id := range strings.FieldsSeq(ids) {
			if followed[id] < 3 {
				t.Errorf("%s: %d commands were followed, want more", id, followed[id])
			}
		}
	}
	for id := range followed {
		if !slices.ContainsFunc(slices.Collect(maps.Values(printing)), func(ids string) bool { return strings.Contains(ids, id) }) {
			t.Errorf("%s prints commands and is not in the list", id)
		}
	}
}
