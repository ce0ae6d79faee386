package sim

import (
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// announceEdit returns a cluster whose next edit was announced for a step, and that edit.
func announceEdit(t *testing.T, step journal.StepID) (*World, Run, string) {
	t.Helper()
	if step == migration.StepEnable {
		return announceEnable(t)
	}
	w, r := NewRKE2(), Run{HandOver: true}
	byCommits(t, r, w, []journal.StepID{migration.StepLeaseAccess, migration.StepEnable, migration.StepInstall})
	if step == migration.StepUndoSwitch {
		byCommits(t, r, w, []journal.StepID{migration.StepSwitch, migration.StepDisable})
		r.Undo = true
		byCommits(t, r, w, []journal.StepID{migration.StepUndoDisable})
	}
	r.ID, r.Until = w.nextRun(), step
	if ended := do(t, r, w); fault.ClassOf(ended.Err) != fault.Gate {
		t.Fatal(ended.Err)
	}
	text, err := fragment(t, r, w)
	if err != nil {
		t.Fatal(err)
	}
	return w, r, text
}

// requireReason runs again and requires a reason with words, or success if reason is empty. No
// controller may run twice.
func requireReason(t *testing.T, r *Run, w *World, reason, words string) {
	t.Helper()
	r.ID = w.nextRun()
	ended := do(t, *r, w)
	f, _ := fault.As(ended.Err)
	switch {
	case reason == "" && ended.Err != nil:
		t.Fatalf("%v, wanted success", ended.Err)
	case reason != "" && (f == nil || f.Reason != reason || !strings.Contains(f.Seen, words)):
		t.Fatalf("%v, wanted %s with %q", ended.Err, reason, words)
	}
	if reason == "HandoffDiffers" && ended.Result.Left != nil {
		t.Errorf("watched until rest, but left %+v", ended.Result.Left)
	}
	if wrong := w.Violations(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// dropField returns a fragment without one of its fields.
func dropField(t *testing.T, text, field string) string {
	t.Helper()
	var manifest map[string]any
	if err := yaml.Unmarshal([]byte(text), &manifest); err != nil {
		t.Fatal(err)
	}
	rke := mapAt(manifest, "spec", "rkeConfig")
	if rke[field] == nil {
		t.Fatalf("no %s in\n%s", field, text)
	}
	delete(rke, field)
	return string(must(yaml.Marshal(manifest)))
}

// Half of an edit lands, for example if Terraform ignores changes of the other half. It is watched
// until rest, and the missing part is named. The next fragment has only that part, even if the
// first half moved the cluster to the next position.
func TestHalfAnEditLands(t *testing.T) {
	for _, tt := range []struct {
		step            journal.StepID
		landed, missing string
	}{
		{migration.StepSwitch, "machineGlobalConfig", "machineSelectorConfig"}, {migration.StepSwitch, "machineSelectorConfig", "machineGlobalConfig"},
		{migration.StepUndoSwitch, "machineGlobalConfig", "machineSelectorConfig"}, {migration.StepUndoSwitch, "machineSelectorConfig", "machineGlobalConfig"},
	} {
		t.Run(string(tt.step)+", "+tt.landed, func(t *testing.T) {
			t.Parallel()
			landed, missing := tt.landed, tt.missing
			w, r, text := announceEdit(t, tt.step)
			commit(t, w, dropField(t, text, missing))
			requireReason(t, &r, w, "HandoffDiffers", missing)
			requireReason(t, &r, w, "AwaitingOwner", missing)
			rest, err := fragment(t, r, w)
			if err != nil || !strings.Contains(rest, missing) || strings.Contains(rest, landed) {
				t.Fatalf("%v, wanted %s alone:\n%s", err, missing, rest)
			}
			requireReason(t, &r, w, "AwaitingOwner", missing)
			commit(t, w, rest)
			requireReason(t, &r, w, "", "")
		})
	}
}

// A commit with the edit also loses or adds something: that is named once. The next run has seen
// it.
func TestCommitBesideTheEdit(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, place string }{
		"an argument is lost": {"      - node-monitor-period=5s\n", "", "machineGlobalConfig.kube-controller-manager-arg"},
		"a key is lost":       {"      cni: calico\n", "", "machineGlobalConfig.cni"},
		"a key is changed":    {"      cni: calico\n", "      cni: cilium\n", "machineGlobalConfig.cni"},
		"a key comes along":   {"      cni: calico\n", "      cni: calico\n      profile: cis-1.23\n", "machineGlobalConfig.profile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r, text := announceEdit(t, migration.StepEnable)
			if !strings.Contains(text, tt.old) {
				t.Fatalf("no %q in\n%s", tt.old, text)
			}
			commit(t, w, strings.Replace(text, tt.old, tt.new, 1))
			requireReason(t, &r, w, "HandoffDiffers", tt.place+" differ")
			requireReason(t, &r, w, "", "")
		})
	}
}

// A commit that is fixed after the message equals the handed-off edit.
func TestHandoff_commitIsFixed_completes(t *testing.T) {
	t.Parallel()
	w, r, text := announceEdit(t, migration.StepEnable)
	commit(t, w, strings.Replace(text, "      cni: calico\n", "", 1))
	requireReason(t, &r, w, "HandoffDiffers", "machineGlobalConfig.cni")
	commit(t, w, text)
	requireReason(t, &r, w, "", "")
}

// The order of a landed edit does not matter: Rancher's webhook and Terraform's provider sort
// arguments and values, and a list of one may be a string.
func TestEditLandsInAnotherOrder(t *testing.T) {
	for name, change := range map[string]func(rke object){
		"arguments": func(rke object) {
			args := rke["machineGlobalConfig"].(object)["kube-controller-manager-arg"].([]any)
			args[0], args[1] = args[1], args[0]
		},
		"an entry that says nothing": func(rke object) {
			entry := object{"config": object{}, "machineLabelSelector": object{"matchLabels": object{"a": "b"}}}
			rke["machineSelectorConfig"] = append(rke["machineSelectorConfig"].([]any), entry)
		},
		"a list of one": func(rke object) {
			config := rke["machineSelectorConfig"].([]any)[0].(object)["config"].(object)
			config["kubelet-arg"] = config["kubelet-arg"].([]any)[0]
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r, text := announceEdit(t, migration.StepSwitch)
			commit(t, w, text)
			cluster := w.mgmt.get(provClusters, fleet, clusterName)
			change(mapAt(cluster, "spec", "rkeConfig"))
			w.mgmt.put(provClusters, cluster, w.now)
			requireReason(t, &r, w, "", "")
		})
	}
}

// Another writer changes an argument while a fragment is out: the fragment is computed again with
// it. If the old one is committed, it reverts that change. The loss is named, whether or not a run
// saw the change.
func TestFragmentGoneStale(t *testing.T) {
	for name, watched := range map[string]bool{"watched": true, "not seen": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r, old := announceEdit(t, migration.StepEnable)
			cluster := w.mgmt.get(provClusters, fleet, clusterName)
			global := mapAt(cluster, "spec", "rkeConfig", "machineGlobalConfig")
			global["kube-controller-manager-arg"] = append(global["kube-controller-manager-arg"].([]any), "concurrent-service-syncs=2")
			w.mgmt.put(provClusters, cluster, w.now)
			if watched {
				requireReason(t, &r, w, "HandoffDiffers", "kube-controller-manager-arg")
			} else {
				w.advanceBy(podsAreBack * 20)
			}
			requireReason(t, &r, w, "AwaitingOwner", "kube-controller-manager-arg")
			now, err := fragment(t, r, w)
			if err != nil || now == old || !strings.Contains(now, "concurrent-service-syncs=2") || !strings.Contains(now, "enable-leader-migration") {
				t.Fatalf("%v, the fragment was not recomputed:\n%s", err, now)
			}
			commit(t, w, old)
			requireReason(t, &r, w, "HandoffDiffers", "machineGlobalConfig.kube-controller-manager-arg differ")
			commit(t, w, now)
			requireReason(t, &r, w, "", "")
		})
	}
}

// A run that makes its edits holds the lock when another user commits one of them, without a mark.
// The run finds the edit made, or reports that the object has changed and does not overwrite it.
// The final configuration is the same as without the commit.
func TestEditLandsBesideARunThatWrites(t *testing.T) {
	granted := func(w *World) bool {
		return w.down.peek("roles.rbac.authorization.k8s.io", kubeSystem, "awsmigrate-leader-migration") != nil
	}
	installed := func(w *World) bool { return w.down.peek(daemonSets, kubeSystem, ccmName) != nil }
	want := NewRKE2()
	if ended := do(t, Run{ID: runID(1)}, want); ended.Err != nil {
		t.Fatal(ended.Err)
	}
	for name, tt := range map[string]struct {
		edit   int // index of the fragment
		when   func(w *World, c Call) bool
		reason string // of the run's error; empty for success
	}{
		"enable, before its own":        {0, func(w *World, c Call) bool { return edits(c) && granted(w) }, "ChangedMeanwhile"},
		"enable, in lease-access":       {0, func(_ *World, c Call) bool { return c.Writes && strings.Contains(c.Path, "/rolebindings") }, ""},
		"switch, in install-ccm":        {1, func(_ *World, c Call) bool { return c.Writes && strings.Contains(c.Path, "/daemonsets") }, ""},
		"switch, as soon as it is made": {1, func(w *World, _ Call) bool { return installed(w) }, ""},
		"switch, before its own":        {1, func(w *World, c Call) bool { return edits(c) && installed(w) }, "ChangedMeanwhile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, came := NewRKE2(), false
			all, err := fragments(t, Run{HandOver: true}, w, true)
			if err != nil || strings.Count(all, "# NOT YET") != 2 {
				t.Fatal(err, all)
			}
			text := "# " + strings.Split(all, "# NOT YET")[1+tt.edit]
			r := Run{Before: func(c Call) Outcome {
				if !came && tt.when(w, c) {
					came = true
					commit(t, w, text)
					cluster := w.mgmt.get(provClusters, fleet, clusterName)
					delete(mapAt(cluster, "metadata"), "managedFields")
					w.mgmt.put(provClusters, cluster, w.now)
				}
				return Pass
			}}
			requireReason(t, &r, w, tt.reason, "")
			if !came {
				t.Fatal("the commit was never made")
			}
			requireReason(t, &r, w, "", "")
			spec := func(w *World) any { return w.mgmt.peek(provClusters, fleet, clusterName)["spec"] }
			if !reflect.DeepEqual(spec(w), spec(want)) {
				t.Errorf("%v, wanted %v", spec(w), spec(want))
			}
		})
	}
}

// A run that watches a commit is killed at any call, and resumed.
func TestWatchedCommitKilled(t *testing.T) {
	for _, step := range []journal.StepID{migration.StepEnable, migration.StepSwitch} {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			w, r, text := announceEdit(t, step)
			commit(t, w, text)
			e := &explorer{t: t, first: r, then: r, depth: 1, every: 1}
			e.explore(w)
			t.Logf("counts: killed while a commit of %s was watched: %s", step, e.counts)
		})
	}
}
