package managed

import (
	"slices"
	"strings"
	"testing"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// appliedSnapshot returns a snapshot of a Cluster with a configuration that Rancher has applied.
func appliedSnapshot(t *testing.T, config map[string]any, change func(*Cluster)) migration.Snapshot {
	t.Helper()
	c := appliedCluster()
	c.Config, c.LastWriter = config, "terraform"
	if change != nil {
		change(&c)
	}
	return migration.Snapshot{Config: observed{Facts: factsFor(t, c, rkestate.ProviderExternal), cluster: c}, Reading: migration.Reading{
		Version: "v1.26.9-rancher1-1",
		Members: []migration.Member{{Name: "cp", Kind: "node", ControlPlane: true}, {Name: "w", Kind: "node", Worker: true}},
		KCMs:    []migration.KCM{{Member: "cp", Kind: "node", Known: true, Args: component.Parse([]string{"--cloud-provider=external"})}},
		Down:    downstream.Cluster{Nodes: []downstream.Node{{Name: "cp", UID: "1", Kubelet: "v1.27.16"}, {Name: "w", UID: "2", Kubelet: "v1.27.16"}}},
	}}
}

// A rollout ends early if Rancher cannot apply the edit or another writer reverted it.
// Otherwise it lists the pending conditions.
func TestRollout(t *testing.T) {
	flagged := Enable(uiConfig()).Apply()
	switched := Switch(flagged, naming.Rule{UseMetadata: true}, nil).Apply()
	fails := func(c *Cluster) {
		c.Failed, c.Conditions["Updated"] = c.Config, condition{Status: "False", Message: "no such image"}
	}
	for name, tt := range map[string]struct {
		step   journal.StepID
		config map[string]any
		change func(*Cluster)
		reason string
		says   string
	}{
		"the flag is there":          {migration.StepEnable, flagged, nil, "", ""},
		"the flag was reverted":      {migration.StepEnable, uiConfig(), nil, "EditTakenBack", "by terraform"},
		"the switch is there":        {migration.StepSwitch, switched, nil, "", ""},
		"the flag came back":         {migration.StepSwitch, Enable(switched).Apply(), nil, "EditTakenBack", "by terraform"},
		"Rancher cannot apply it":    {migration.StepSwitch, switched, fails, "RancherCouldNotApply", "no such image"},
		"reverted, and a failure":    {migration.StepEnable, uiConfig(), fails, "RancherCouldNotApply", "no such image"},
		"it could not apply another": {migration.StepSwitch, switched, func(c *Cluster) { fails(c); c.Failed = uiConfig() }, "", ""},
		"it failed, and tries again": {migration.StepSwitch, switched, func(c *Cluster) { fails(c); c.Conditions["Updated"] = condition{Status: "Unknown"} }, "", ""},
		"the upgrade is there":       {migration.StepUpgrade, Upgrade(switched, "v1.27.16-rancher1-1").Apply(), nil, "", ""},
		"the upgrade was reverted":   {migration.StepUpgrade, switched, nil, "EditTakenBack", "by terraform"},
		"nothing is left to undo":    {migration.StepUndoEnable, uiConfig(), nil, "", ""},
	} {
		m := &Backend{Common: &rke.Common{}}
		m.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		snap := appliedSnapshot(t, tt.config, tt.change)
		snap.Reading.Pending = []migration.PendingCondition{{Object: "Cluster c-1", Seen: "not applied yet"}}
		got, err := m.Rollout(t.Context(), nil, snap, procedure.EditingOf(tt.step, m.Options.Options), nil)
		if err != nil || (got.Verdict == nil) != (tt.reason == "") || got.By != migration.ByRancher() {
			t.Errorf("%s: %v %+v", name, err, got)
			continue
		}
		if got.Verdict == nil {
			if !slices.Equal(got.Applying, []string{"not applied yet"}) {
				t.Errorf("%s: %q", name, got.Applying)
			}
			continue
		}
		if f, ok := fault.As(got.Verdict.Err); !ok || f.Reason != tt.reason || !strings.Contains(f.Error(), tt.says) {
			t.Errorf("%s: %v", name, got.Verdict.Err)
		}
	}
}

// Only changes of Rancher's objects count as its progress.
func TestMarks(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Cluster, *migration.Snapshot)
		moves  bool
	}{
		"nothing": {func(*Cluster, *migration.Snapshot) {}, false},
		"a condition": {func(c *Cluster, _ *migration.Snapshot) {
			c.Conditions["Updated"] = condition{Status: "Unknown"}
		}, true},
		"its message": {func(c *Cluster, _ *migration.Snapshot) {
			c.Conditions["Upgraded"] = condition{Status: "True", Message: "1 of 2"}
		}, true},
		"another condition": {func(c *Cluster, _ *migration.Snapshot) {
			c.Conditions["Pending"] = condition{Status: "True"}
		}, false},
		"a worker's plan":        {func(c *Cluster, _ *migration.Snapshot) { c.Nodes[1].PlanVersion = 3 }, true},
		"what its agent applied": {func(c *Cluster, _ *migration.Snapshot) { c.Nodes[1].AppliedVersion = 1 }, true},
		"a host is cordoned":     {func(_ *Cluster, s *migration.Snapshot) { s.Reading.Down.Nodes[1].Unschedulable = true }, true},
		"a kubelet wrote its name": {func(_ *Cluster, s *migration.Snapshot) {
			s.Reading.Down.Nodes[1].Labels = map[string]string{"kubernetes.io/hostname": "w"}
		}, true},
	} {
		before := marks(appliedSnapshot(t, uiConfig(), nil))
		var extra func(*migration.Snapshot)
		snap := appliedSnapshot(t, uiConfig(), func(c *Cluster) {
			extra = func(s *migration.Snapshot) { tt.change(c, s) }
			tt.change(c, &migration.Snapshot{Reading: appliedSnapshot(t, uiConfig(), nil).Reading})
		})
		extra(&snap)
		if moves := !slices.Equal(before, marks(snap)); moves != tt.moves {
			t.Errorf("%s: moves %t", name, moves)
		}
	}
}

// The run must not change Nodes while Rancher applies an edit.
func TestWhileRolling(t *testing.T) {
	for _, open := range [][]migration.PendingCondition{nil, {{Object: "Cluster c-1"}}} {
		busy, err := (&Backend{}).WhileRolling(t.Context(), nil, migration.Snapshot{Reading: migration.Reading{Pending: open}}, migration.Editing{})
		if err != nil || busy != (open != nil) {
			t.Errorf("%v: busy %t, %v", open, busy, err)
		}
	}
}

// announcedBy returns a journal with the edits of steps in Rancher's Cluster.
func announcedBy(t *testing.T, edits map[journal.StepID]Edit) journal.Record {
	t.Helper()
	var record journal.Record
	for _, step := range []journal.StepID{migration.StepEnable, migration.StepSwitch} {
		edit, made := edits[step]
		if !made {
			continue
		}
		raw, err := edit.Inverse()
		if err != nil {
			t.Fatal(err)
		}
		record.Intents = append(record.Intents, journal.Intent{Step: step, Object: appliedCluster().object(), Inverse: raw})
	}
	return record
}

// A plan starts from the edits of the previous steps, in both directions.
func TestPlanEdit(t *testing.T) {
	plain := uiConfig()
	delete(plain["cloudProvider"].(map[string]any), "awsCloudProvider") // its stored value would be in a Secret
	enable := Enable(plain)
	rule := naming.Rule{UseMetadata: true}
	change := Switch(enable.Apply(), rule, enable.Made())
	both := map[journal.StepID]Edit{migration.StepEnable: enable, migration.StepSwitch: change}
	const flag = "services.kubeController"
	for name, tt := range map[string]struct {
		step   journal.StepID
		config map[string]any
		at     position.Position
		made   map[journal.StepID]Edit
		places []string // words in the changed locations, or empty if nothing changes
		rolls  int
		reason string
	}{
		"enable":                          {migration.StepEnable, plain, position.P1, nil, []string{flag}, 1, ""},
		"enable, it is there":             {migration.StepEnable, enable.Apply(), position.P2, nil, nil, 1, ""},
		"switch, before the flag":         {migration.StepSwitch, plain, position.P1, nil, []string{"cloudProvider.name", flag}, 2, ""},
		"switch, after it":                {migration.StepSwitch, enable.Apply(), position.P3, both, []string{"cloudProvider.name", flag}, 2, ""},
		"switch, it is there":             {migration.StepSwitch, change.Apply(), position.P4, both, nil, 2, ""},
		"upgrade":                         {migration.StepUpgrade, change.Apply(), position.P5, both, []string{"kubernetesVersion"}, 2, ""},
		"switch back":                     {migration.StepUndoSwitch, change.Apply(), position.P4, both, []string{"cloudProvider.name", flag}, 2, ""},
		"switch back, never switched":     {migration.StepUndoSwitch, enable.Apply(), position.P3, map[journal.StepID]Edit{migration.StepEnable: enable}, nil, 2, ""},
		"flag back, before the switch is": {migration.StepUndoEnable, change.Apply(), position.P4, both, []string{flag}, 2, ""},
		"flag back":                       {migration.StepUndoEnable, enable.Apply(), position.P2, map[journal.StepID]Edit{migration.StepEnable: enable}, []string{flag}, 2, ""},
		"flag back, it is gone":           {migration.StepUndoEnable, plain, position.P1, map[journal.StepID]Edit{migration.StepEnable: enable}, nil, 2, ""},
		"a step that edits nothing":       {migration.StepInstall, plain, position.P2, nil, nil, 0, "step install-ccm edits nothing"},
	} {
		m := &Backend{Common: &rke.Common{Names: &rule}}
		m.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		snap := appliedSnapshot(t, tt.config, nil)
		snap.Result = position.Result{Position: tt.at, Between: [2]position.Position{tt.at, tt.at}}
		snap.Record = announcedBy(t, tt.made)
		plan, err := m.plan(t, snap, tt.step)
		if err != nil || tt.reason != "" {
			if err == nil || err.Error() != tt.reason {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var at []string
		for _, c := range plan.Changes {
			at = append(at, c.Location)
		}
		all := strings.Join(at, " ")
		if (len(at) == 0) != (len(tt.places) == 0) || plan.Rolls != tt.rolls || (len(plan.Summary) == 0) != (len(at) == 0) {
			t.Errorf("%s: %d rolls, %v, %v", name, plan.Rolls, plan.Summary, at)
		}
		for _, place := range tt.places {
			if !strings.Contains(all, place) {
				t.Errorf("%s: nothing at %s in %q", name, place, all)
			}
		}
		if tt.step == migration.StepUndoEnable && strings.Contains(all, "cloudProvider") {
			t.Errorf("%s: changes the provider, too: %q", name, all)
		}
	}
}

// A rollout fails if Rancher reports an error or another writer reverted the edit.
func TestRollout_observed_verdict(t *testing.T) {
	failed := func(cluster map[string]any) {
		status := cluster["status"].(map[string]any)
		status["failedSpec"] = map[string]any{rkeConfigKey: apiruntime.DeepCopyJSON(cluster["spec"].(map[string]any)[rkeConfigKey].(map[string]any))}
		status["conditions"] = []any{map[string]any{"type": "Updated", "status": "False", "message": "no host"}}
	}
	flagged := func(cluster map[string]any) {
		cluster["spec"].(map[string]any)[rkeConfigKey].(map[string]any)["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": map[string]any{keyFlag: "true"}}
	}
	for name, tt := range map[string]struct {
		change   func(map[string]any)
		reason   string
		applying int
	}{
		"Rancher could not":         {failed, "RancherCouldNotApply", 0},
		"the flag was reverted":     {nil, "EditTakenBack", 0},
		"Rancher is still at it":    {flagged, "", 2},
		"Rancher says it twice now": {func(c map[string]any) { flagged(c); c["status"].(map[string]any)["conditions"] = []any{} }, "", 5},
	} {
		m, _ := newMigration(t, rke.Options{}, tt.change)
		snap := m.observe(t, journal.Record{})
		got, err := m.Rollout(t.Context(), nil, snap, procedure.EditingOf(migration.StepEnable, m.Options.Options), nil)
		reason := ""
		if got.Verdict != nil {
			reason = clustertest.ReasonOf(got.Verdict.Err)
		}
		if err != nil || reason != tt.reason || reason == "" && len(got.Applying) != tt.applying || got.By != migration.ByRancher() || got.Progress == "" {
			t.Errorf("%s: %v, %q, %+v", name, err, reason, got)
		}
		if busy, err := m.WhileRolling(t.Context(), nil, snap, migration.Editing{}); err != nil || busy != (len(snap.Reading.Pending) > 0) {
			t.Errorf("%s: busy %t, %v", name, busy, err)
		}
	}
}

// Every sign of progress in Rancher or on a host changes the marks.
func TestMarks_progress_changed(t *testing.T) {
	m, _ := newMigration(t, rke.Options{}, nil)
	was := m.observe(t, journal.Record{})
	for name, change := range map[string]func(*migration.Snapshot){
		"a condition": func(s *migration.Snapshot) {
			c := clusterOf(*s)
			c.Conditions = map[string]condition{"Updated": {Status: "Unknown"}}
			s.Config = observed{Facts: s.Config.(observed).Facts, cluster: c}
		},
		"a plan": func(s *migration.Snapshot) {
			c := clusterOf(*s)
			c.Nodes = []Node{{Name: "m-0", PlanVersion: 3}}
			s.Config = observed{Facts: s.Config.(observed).Facts, cluster: c}
		},
		"a cordon": func(s *migration.Snapshot) {
			s.Reading.Down.Nodes = slices.Clone(s.Reading.Down.Nodes)
			s.Reading.Down.Nodes[0].Unschedulable = true
		},
		"rke's state": func(s *migration.Snapshot) {
			o := s.Config.(observed)
			o.State.Current.Config.CloudProvider.Name = "external-aws"
			s.Config = o
		},
	} {
		now := was
		change(&now)
		if slices.Equal(marks(was), marks(now)) {
			t.Errorf("%s moved, and no mark did: %q", name, marks(now))
		}
	}
}
