package rancher

import (
	"fmt"
	"strings"
	"testing"
)

// machineIn makes a candidate: its state is a list of words.
//
//	old      has the plan from before      same     has the desired plan
//	none     has no plan                   away     the plan is not applied
//	sick     a probe fails                 passed   its probes passed once
//	failed   the plan failed               error    the Machine reports an error
//	slow     the Machine is on its way     cp       is a control plane
//	drain=x, done=x, uncordon=x            annotations
func machineIn(name, state string, options string) *candidate {
	desired := nodePlan{Instructions: []instruction{{Name: "install", Env: []string{"RESTART_STAMP=new"}}}}
	before := nodePlan{Instructions: []instruction{{Name: "install", Env: []string{"RESTART_STAMP=old"}}}}
	e := &entry{Name: name, NodeRef: "node-" + name, KubeletVersion: "v1.26.15+rke2r1", Annotations: map[string]string{}, target: target{Labels: map[string]string{labelWorker: "true"}}}
	p := &planState{InSync: true, Healthy: true}
	e.Plan = p
	for _, w := range strings.Fields(state) {
		switch w {
		case "old":
			p.Raw, p.Plan, p.Applied = "old", before, &before
		case "same":
			p.Raw, p.Plan, p.Applied = "new", desired, &desired
		case "none":
			e.Plan = nil
		case "away":
			p.InSync = false
		case "sick":
			p.Healthy, p.Unhealthy = false, []string{"kubelet"}
		case "passed":
			p.ProbesPassed = true
		case "failed":
			p.Failed, p.InSync = true, false
		case "error":
			e.Errors = true
		case "slow":
			e.Transitioning = true
		case "cp":
			e.target.Labels = map[string]string{labelControlPlane: "true"}
		case "drain":
			e.Annotations[annotationDrain] = options
		case "done":
			e.Annotations[annotationDrainDone] = options
		case "uncordon":
			e.Annotations[annotationUncordon] = options
		default:
			panic(w)
		}
	}
	return &candidate{entry: e, Desired: desired, DesiredRaw: "new"}
}

func TestDecideTier(t *testing.T) {
	drainOn := drainOptions{Enabled: true}
	options, _ := drainOn.due(machineIn("x", "old", "").entry, &nodePlan{}, 2)
	for _, c := range []struct {
		name, concurrency string
		drain             drainOptions
		noAgent           bool
		machines          []string
		want              string // deliver | out of sync | draining | uncordoned | ready | failing | non-ready | annotate
	}{
		{"first plans go to everybody", "", drainOptions{}, false, []string{"none", "none"}, "a b|a b||||||"},
		{"one at a time by default", "", drainOptions{}, false, []string{"old", "old"}, "a|a b||||||"},
		{"a machine that is away takes the place", "", drainOptions{}, false, []string{"same away", "old"}, "|a b||||||"},
		{"a machine whose probes fail takes the place", "", drainOptions{}, false, []string{"same sick passed", "old"}, "|a b||||||"},
		{"two at a time", "2", drainOptions{}, false, []string{"old", "old", "old"}, "a b|a b c||||||"},
		{"no limit", "0", drainOptions{}, false, []string{"old", "old", "old"}, "a b c|a b c||||||"},
		{"a percentage is rounded up", "34%", drainOptions{}, false, []string{"old", "old", "old"}, "a b|a b c||||||"},
		{"a failed plan is replaced whatever the limit", "", drainOptions{}, false, []string{"same away", "old failed"}, "b|a b||||||"},
		{"a plan that was never healthy is replaced", "", drainOptions{}, false, []string{"same away", "old sick"}, "b|a b||||||"},
		{"a plan that was healthy once is not", "", drainOptions{}, false, []string{"same away", "old sick passed"}, "|a b||||||"},
		{"all done", "", drainOptions{}, false, []string{"same", "same"}, "||||a b|||"},
		{"errors and transitions are reported, not waited for", "", drainOptions{}, false, []string{"same error", "same slow"}, "||||a b|a|b|"},
		{"a control plane needs the agent", "", drainOptions{}, true, []string{"same cp", "same"}, "|a|||b|||"},
		{"drain is asked for first", "", drainOn, false, []string{"old", "same"}, "|a|a||b|||a"},
		{"drain under way", "", drainOn, false, []string{"old drain", "same"}, "|a|a||b|||"},
		{"drained: deliver", "", drainOn, false, []string{"old drain done", "same"}, "a|a|||b|||"},
		{"applied after a drain: uncordon", "", drainOn, false, []string{"same drain done", "same"}, "|||a|b|||"},
		{"uncordon under way", "", drainOn, false, []string{"same drain done uncordon", "same"}, "|||a|b|||"},
		{"a lone machine is not drained", "", drainOn, false, []string{"old"}, "a|a||||||"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in []*candidate
			for i, m := range c.machines {
				in = append(in, machineIn(string(rune('a'+i)), m, options))
			}
			v, err := decideTier(tier{Name: tierWorker, Concurrency: c.concurrency, Drain: c.drain, AgentConnected: !c.noAgent,
				KubernetesVersion: "v1.26.15+rke2r1", ClusterSize: len(in)}, in)
			if err != nil {
				t.Fatal(err)
			}
			var deliver, annotate []string
			for _, d := range v.Deliver {
				deliver = append(deliver, d.Name)
			}
			for m := range v.Annotate {
				annotate = append(annotate, m)
			}
			groups := [][]string{deliver, v.OutOfSync, v.Draining, v.Uncordoned, v.Ready, v.Failing, v.NonReady, annotate}
			got := make([]string, len(groups))
			for i, g := range groups {
				got[i] = strings.Join(g, " ")
			}
			if s := strings.Join(got, "|"); s != c.want {
				t.Errorf("got %s, wanted %s; messages %v", s, c.want, v.Messages)
			}
		})
	}
	if _, err := decideTier(tier{Concurrency: "many"}, nil); err == nil {
		t.Error("no error for a concurrency that is none")
	}
}

func TestDrainOnlyForARestart(t *testing.T) {
	o := drainOptions{Enabled: true}
	same := &nodePlan{Instructions: []instruction{{Env: []string{"RESTART_STAMP=old"}}}}
	e := machineIn("a", "old", "").entry
	if _, due := o.due(e, same, 3); due {
		t.Error("a plan that restarts nothing drains")
	}
	hooks := drainOptions{PreDrainHooks: []drainHook{{Annotation: "mine"}}}
	if text, due := hooks.due(e, &nodePlan{}, 1); !due || strings.Contains(text, `"enabled":true`) {
		t.Errorf("hooks on a lone machine: %t %s", due, text)
	}
	e.NodeRef = ""
	if _, due := o.due(e, &nodePlan{}, 3); due {
		t.Error("a machine without Node is drained")
	}
}

func TestGroupMessage(t *testing.T) {
	messages := map[string][]string{"a": {"x", "y"}}
	for want, names := range map[string][]string{
		"p a: x, y": {"a"}, "p a,b": {"b", "a"}, "p a,b,c and 2 more": {"e", "d", "c", "b", "a"},
	} {
		if got := groupMessage("p ", names, messages); got != want {
			t.Errorf("got %q, wanted %q", got, want)
		}
	}
}

func TestRewriteAPIServerArgs(t *testing.T) {
	keep := func(int, func(i, j int)) {}
	ours := admissionFile + "=" + psactPath
	for _, c := range []struct {
		name     string
		in       any
		template bool
		want     string
		changed  bool
	}{
		{"added", []any{"a=1"}, true, "[a=1 " + ours + "]", true},
		{"from nothing", nil, true, "[" + ours + "]", true},
		{"a string is lost", "a=1", true, "[" + ours + "]", true},
		{"without equals sign dropped", []any{"bare", "a=1"}, true, "[a=1 " + ours + "]", true},
		{"the later of two stays", []any{"a=1", "a=2"}, true, "[a=2 " + ours + "]", true},
		{"a value may hold an equals sign", []any{"a=b=c"}, true, "[a=b=c " + ours + "]", true},
		{"another file is replaced", []any{admissionFile + "=/mine", "a=1"}, true, "[" + ours + " a=1]", true},
		{"taken out", []any{"a=1", ours, "bare"}, false, "[a=1]", true},
		{"nothing to take out: untouched", []any{"a=1", "bare"}, false, "[]", false},
		{"another file is not ours to take out", []any{admissionFile + "=/mine"}, false, "[]", false},
	} {
		got, changed := rewriteAPIServerArgs(c.in, c.template, keep)
		if fmt.Sprint(got) != c.want || changed != c.changed {
			t.Errorf("%s: %v %t, wanted %s %t", c.name, got, changed, c.want, c.changed)
		}
	}
}
