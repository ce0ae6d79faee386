package sim

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// savePlan returns the plan of a run on w, through a file.
func savePlan(t *testing.T, r Run, w *World) *runner.WholePlan {
	t.Helper()
	var back runner.WholePlan
	synctest.Test(t, func(t *testing.T) {
		if d := time.Until(w.Now()); d > 0 {
			pass(d)
		}
		r.Clock = clock.RealClock{}
		of := &Process{world: w}
		p, home, err := r.open(t.Context(), w, of)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := newJournal(home, of, w, p.Target(), r.Clock)
		if err != nil {
			t.Fatal(err)
		}
		_, _, plan, err := runner.PlanAll[migration.Snapshot](t.Context(), p, kept)
		if err != nil {
			t.Fatal(err)
		}
		plan.Version = r.Version
		text, err := json.Marshal(plan)
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return &back
}

// A plan from before the first write serves the whole migration, one step per run, while a worker
// joins. Each step writes exactly the changes in the plan, and the plan lists all of them.
func TestSavedPlanServesTheWholeMigration(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w, r := s.world(), s.run
			r.Saved = savePlan(t, r, w)
			reached := ""
			for i, info := range procedure.StepInfos() {
				if info.Irreversible != "" || info.ID == migration.StepHandOver && !s.run.Early {
					continue
				}
				if info.ID == migration.StepCordon && w.rancher != nil {
					cluster := w.mgmt.get(provClusters, fleet, clusterName)
					at(cluster, "spec", "rkeConfig", "machinePools").([]any)[1].(object)["quantity"] = int64(3)
					w.mgmt.put(provClusters, cluster, w.now)
					w.addMachine(6, false, mapAt(w.mgmt.get(controlPlanes, fleet, clusterName), "spec"))
				}
				r.ID, r.Until = runID(i+1), info.ID
				ended := do(t, r, w)
				if ended.Err != nil {
					t.Fatalf("%s: %v", info.ID, ended.Err)
				}
				reached = ended.Result.Position
			}
			if reached != position.P5.String() {
				t.Errorf("the cluster is at %s", reached)
			}
			joined := func(v string) bool { return v == "S2: 6 Nodes, had 5" }
			if wrong := slices.DeleteFunc(w.Violations(), joined); len(wrong) > 0 {
				t.Error(wrong)
			}
		})
	}
}

// A saved plan stays valid after a kill at any call up to the installation of the CCM: also in the
// middle of Helm's work, and while rke has cordoned a Node.
func TestSavedPlan_killedAtEveryCall_continues(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			undisturbed, w, r := s.world(), s.world(), s.run
			finish(t, undisturbed, r)
			r.Saved = savePlan(t, r, w)
			first := r
			first.Until = migration.StepInstall
			e := &explorer{t: t, first: first, then: r, depth: 1, every: sampleStride(2), want: undisturbed.Dump()}
			e.explore(w)
			t.Logf("counts: killed with a saved plan in %s: %s", s.name, e.counts)
		})
	}
}

// A change that differs from the plan is not written.
func TestSavedPlanThatMoved(t *testing.T) {
	t.Parallel()
	w, r := scenarios[0].world(), scenarios[0].run
	r.Saved = savePlan(t, r, w)
	for i := range r.Saved.Steps {
		if step := &r.Saved.Steps[i]; step.ID == migration.StepDisable {
			step.Changes[0].SHA256 = "another"
		}
	}
	r.ID = runID(1)
	before := w.Dump()
	if ended := do(t, r, w); fault.ClassOf(ended.Err) != fault.Stale || ended.Writes != 0 {
		t.Errorf("%d writes, %v", ended.Writes, ended.Err)
	}
	if d := cmp.Diff(before, w.Dump()); d != "" {
		t.Error(d)
	}
}
