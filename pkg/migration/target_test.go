package migration_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

const (
	flag, aws, external = "--enable-leader-migration", "--cloud-provider=aws", "--cloud-provider=external"
	newVersion          = "v1.27.16+rke2r1"
)

// Targets of the editing steps.
var (
	enabled    = migration.Target{ControlPlanes: component.InTreeMigrating, Restarted: true}
	switched   = migration.Target{ControlPlanes: component.External, Kubelets: migration.KubeletExternal, Restarted: true}
	switchedTo = migration.Target{ControlPlanes: component.InTreeMigrating, Kubelets: migration.KubeletInTree}
	disabled   = migration.Target{ControlPlanes: component.InTree}
	upgraded   = migration.Target{Version: newVersion}
)

// plane returns a cluster of one control plane that runs with args.
func plane(kubelet migration.Kubelet, args ...string) migration.Reading {
	return migration.Reading{
		Members: []migration.Member{{ID: "1", Name: "cp", Kind: "Machine", Nodes: []string{"cp"}, ControlPlane: true, Kubelet: kubelet}},
		KCMs:    []migration.KCM{{Member: "cp", Kind: "Machine", ID: "1", Known: true, Ready: true, Args: component.Parse(args)}},
		Down:    downstream.Cluster{Nodes: []downstream.Node{{Name: "cp", Kubelet: newVersion, Ready: downstream.Condition{Status: "True"}}}},
	}
}

func with(r migration.Reading, change func(*migration.Reading)) migration.Reading {
	change(&r)
	return r
}

func TestMissing_stateAndTarget_sentence(t *testing.T) {
	inTree, ext := migration.KubeletInTree, migration.KubeletExternal
	nodeless := func(change func(*migration.Member)) func(*migration.Reading) {
		return func(r *migration.Reading) {
			r.Members[0].Nodes, r.Members[0].Kubelet, r.Members[0].Why = nil, migration.KubeletUnknown, "has no Node"
			change(&r.Members[0])
		}
	}
	old := map[string]bool{"1": true}
	for name, tt := range map[string]struct {
		target      migration.Target
		reading     migration.Reading
		unrestarted map[string]bool
		missing     string
	}{
		"flagged":                        {enabled, plane(inTree, aws, flag), nil, ""},
		"no flag yet":                    {enabled, plane(inTree, aws), nil, "kube-controller-manager runs in-tree"},
		"flagged, not Ready":             {enabled, with(plane(inTree, aws, flag), func(r *migration.Reading) { r.KCMs[0].Ready = false }), nil, "kube-controller-manager is not Ready"},
		"flagged before the edit":        {enabled, plane(inTree, aws, flag), old, "kube-controller-manager has not restarted since the edit"},
		"no component is known":          {enabled, with(plane(inTree, aws, flag), func(r *migration.Reading) { r.KCMs = nil }), nil, "nothing shows its kube-controller-manager"},
		"arguments unknown":              {enabled, with(plane(inTree, aws, flag), func(r *migration.Reading) { r.KCMs[0].Known = false }), nil, "kube-controller-manager runs unknown arguments"},
		"of another provider":            {enabled, plane(inTree, "--cloud-provider=vsphere", flag), nil, "kube-controller-manager runs with provider \"vsphere\""},
		"switched":                       {switched, plane(ext, external), nil, ""},
		"its kubelet is not":             {switched, with(plane(inTree, external), func(r *migration.Reading) { r.Members[0].Why = "its kubelet runs with provider \"aws\"" }), nil, "its kubelet runs with provider \"aws\""},
		"the component is not":           {switched, plane(ext, aws), nil, "kube-controller-manager runs in-tree"},
		"switched with the flag":         {switched, plane(ext, external, flag), nil, "kube-controller-manager runs external with leader migration"},
		"switched before the edit":       {switched, plane(ext, external), old, "kube-controller-manager has not restarted since the edit"},
		"nothing shows its kubelet":      {switched, plane(migration.KubeletUnknown, external), nil, "nothing shows the provider of its kubelet"},
		"in-tree again":                  {switchedTo, plane(inTree, aws, flag), nil, ""},
		"in-tree again, never restarted": {switchedTo, plane(inTree, aws, flag), old, ""},
		"external still":                 {switchedTo, plane(inTree, external, flag), nil, "kube-controller-manager runs external with leader migration"},
		"in-tree without the flag":       {switchedTo, plane(inTree, aws), nil, "kube-controller-manager runs in-tree"},
		"in-tree, its machine is not":    {switchedTo, plane(ext, aws, flag), nil, "its kubelet still runs with the external provider"},
		"back, its Node was deleted":     {switchedTo, with(plane(inTree, aws, flag), nodeless(func(*migration.Member) {})), nil, "has no Node"},
		"back, it never joined":          {switchedTo, with(plane(inTree, aws, flag), nodeless(func(m *migration.Member) { m.NeverJoined = true })), nil, ""},
		"back, it goes away":             {switchedTo, with(plane(inTree, aws, flag), nodeless(func(m *migration.Member) { m.Deleting = true })), nil, ""},
		"forward, it never joined":       {switched, with(plane(inTree, external), nodeless(func(m *migration.Member) { m.NeverJoined = true })), nil, "has no Node"},
		"flag gone":                      {disabled, plane(inTree, aws), nil, ""},
		"flag still there":               {disabled, plane(inTree, aws, flag), nil, "kube-controller-manager runs in-tree with leader migration"},
		"upgraded":                       {upgraded, plane(ext, external), nil, ""},
		"not upgraded":                   {upgraded, with(plane(ext, external), func(r *migration.Reading) { r.Down.Nodes[0].Kubelet = "v1.26.13+rke2r1" }), nil, "kubelet runs v1.26.13+rke2r1"},
	} {
		missing, seen := tt.reading.Missing(tt.target, tt.reading.Members[0], tt.unrestarted)
		if missing != tt.missing || !seen {
			t.Errorf("%s: %q, seen %t, want %q", name, missing, seen, tt.missing)
		}
		// While rke works, its record proves nothing. Versions are an exception: Nodes show them.
		tt.reading.Recorded = true
		missing, seen = tt.reading.Missing(tt.target, tt.reading.Members[0], tt.unrestarted)
		if byNodes := tt.target.Version != ""; seen != byNodes || (missing == "") != (byNodes && tt.missing == "") {
			t.Errorf("%s, recorded: %q, seen %t", name, missing, seen)
		}
	}
}

func TestReach_machines_countedAndShown(t *testing.T) {
	r := plane(migration.KubeletInTree, aws, flag)
	r.Members = append(r.Members,
		migration.Member{ID: "2", Name: "w", Kind: "Machine", Nodes: []string{"w"}, Worker: true, Kubelet: migration.KubeletExternal},
		migration.Member{ID: "3", Name: "x", Kind: "Machine", Nodes: []string{"x"}, Worker: true, Kubelet: migration.KubeletInTree, Why: "not yet"})
	ready := downstream.Condition{Status: "True"}
	r.Down.Nodes = append(r.Down.Nodes, downstream.Node{Name: "w", Kubelet: newVersion, Ready: ready}, downstream.Node{Name: "x", Kubelet: "v1.26.13+rke2r1", Ready: ready},
		downstream.Node{Name: "stray", Kubelet: "v1.26.13+rke2r1", Ready: ready})
	for name, tt := range map[string]struct {
		target      migration.Target
		recorded    bool
		doing       map[string]string
		open        []string
		done, total int
		states      []string
	}{
		"workers stay as they are": {enabled, false, nil, nil, 1, 1, []string{"done"}},
		"some are switched":        {switched, false, nil, []string{"Machine cp: nothing shows the provider", "Machine x: not yet"}, 1, 3, []string{"waiting", "done", "waiting"}},
		"one is worked on":         {switched, false, map[string]string{"x": "Rancher applies its plan"}, []string{"Machine cp: ", "Machine x: not yet"}, 1, 3, []string{"waiting", "done", "in-hand"}},
		"upgraded, but a stray":    {upgraded, false, nil, []string{"Machine x: kubelet runs v1.26.13+rke2r1", "Node stray: kubelet runs v1.26.13+rke2r1"}, 2, 3, []string{"done", "done", "waiting"}},
		"rke is at work":           {enabled, true, nil, []string{"1 of 1 machines cannot be seen yet"}, 0, 1, []string{"unseen"}},
	} {
		r.Recorded = tt.recorded
		got := r.Reach(tt.target, nil, tt.doing)
		same := slices.EqualFunc(got.Open, tt.open, strings.HasPrefix)
		if !same || got.Done != tt.done || got.Total != tt.total {
			t.Errorf("%s: %q, %d of %d", name, got.Open, got.Done, got.Total)
		}
		var states []string
		for _, m := range got.Machines {
			states = append(states, string(m.State))
		}
		if d := cmp.Diff(tt.states, states); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	r.Recorded, r.Down.Nodes[0].Ready.Status = false, "False"
	if got := r.Reach(enabled, nil, nil).Machines[0]; got.State != runner.MachineChanging || got.Doing != "kubelet restarting" {
		t.Errorf("%+v", got)
	}
	r.Down.Nodes[0].Ready.Status, r.KCMs[0].Ready = "True", false
	if got := r.Reach(enabled, nil, nil).Machines[0]; got.State != runner.MachineChanging || got.Doing != "kube-controller-manager restarting" {
		t.Errorf("%+v", got)
	}
}
