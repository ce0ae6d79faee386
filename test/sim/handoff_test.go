package sim

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// fragment returns the next edit of a run on w, as text for the owner of the Cluster object in
// Git.
func fragment(t *testing.T, r Run, w *World) (text string, err error) {
	t.Helper()
	return fragments(t, r, w, false)
}

// fragments returns the next edit, or all of them.
func fragments(t *testing.T, r Run, w *World, all bool) (text string, err error) {
	t.Helper()
	look(t, r, w, func(ctx context.Context, p *procedure.Migration, seen migration.Snapshot) {
		text, err = p.Handoff(ctx, seen, "fleet", all)
	})
	return text, err
}

// look observes w once without writing.
func look(t *testing.T, r Run, w *World, at func(context.Context, *procedure.Migration, migration.Snapshot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if d := time.Until(w.Now()); d > 0 {
			pass(d)
		}
		lookNow(t.Context(), t, r, w, at)
	})
}

// lookNow calls look in the caller's bubble, to which ctx belongs.
func lookNow(ctx context.Context, t *testing.T, r Run, w *World, at func(context.Context, *procedure.Migration, migration.Snapshot)) {
	t.Helper()
	r.Clock = clock.RealClock{}
	p, home, err := r.open(ctx, w, &Process{world: w})
	if err != nil {
		t.Fatal(err)
	}
	target := p.Target()
	kept, err := journal.NewConfigMap(home, target.Namespace, journal.Name(target.Name), target).Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := p.Observe(ctx, kept.Record())
	if err != nil {
		t.Fatal(err)
	}
	at(ctx, p, seen)
}

// commit applies a committed fragment as Fleet or Argo CD do.
func commit(t *testing.T, w *World, text string) {
	t.Helper()
	var manifest struct {
		Spec struct{ RKEConfig map[string]any }
	}
	if err := yaml.Unmarshal([]byte(text), &manifest); err != nil || len(manifest.Spec.RKEConfig) == 0 {
		t.Fatal(err, text)
	}
	cluster := w.mgmt.get(provClusters, fleet, clusterName)
	rke := mapAt(cluster, "spec", "rkeConfig")
	for name, value := range manifest.Spec.RKEConfig {
		if rke[name] = value; value == nil {
			delete(rke, name)
		}
	}
	mapAt(cluster, "metadata")["managedFields"] = []any{object{"manager": "fleetagent", "operation": "Update",
		"time": w.now.UTC().Format(time.RFC3339), "fieldsV1": object{"f:spec": object{}}}}
	w.mgmt.put(provClusters, cluster, w.now)
}

// byCommits runs a migration or its undo with handed-off edits. No run writes the configuration,
// and each finds the one that it would have written.
func byCommits(t *testing.T, r Run, w *World, steps []journal.StepID) {
	t.Helper()
	r.Before = func(c Call) Outcome {
		if c.Writes && c.Path == "/apis/provisioning.cattle.io/v1/namespaces/"+fleet+"/clusters/"+clusterName {
			t.Errorf("%s %s: the configuration belongs to its owner", c.Verb, c.Path)
		}
		return Pass
	}
	for i, until := range steps {
		r.ID, r.Until = w.nextRun(), until
		if until == migration.StepEnable || until == migration.StepSwitch || until == migration.StepUndoSwitch || until == migration.StepUndoEnable {
			if ended := do(t, r, w); fault.ClassOf(ended.Err) != fault.Gate {
				t.Fatalf("%s, before the commit: %v", until, ended.Err)
			}
			text, err := fragment(t, r, w)
			if err != nil {
				t.Fatalf("%s: %v", until, err)
			}
			commit(t, w, text)
			r.ID = w.nextRun()
		}
		if ended := do(t, r, w); ended.Err != nil {
			t.Fatalf("%d %s: %v", i, until, ended.Err)
		}
		if len(w.Violations()) > 0 {
			t.Fatal(until, w.Violations())
		}
	}
}

// In a whole migration and its undo, the owner of the Cluster object commits every edit, each when
// its preconditions hold and not before.
func TestMigrationByCommits(t *testing.T) {
	t.Parallel()
	w := NewRKE2()
	configured := func() any { return w.mgmt.get(provClusters, fleet, clusterName)["spec"] }
	before := configured()
	r := Run{HandOver: true}
	if text, err := fragment(t, r, w); fault.ClassOf(err) != fault.Gate || text != "" {
		t.Errorf("before the grant: %q, %v", text, err)
	}
	byCommits(t, r, w, []journal.StepID{migration.StepLeaseAccess, migration.StepEnable})
	if text, err := fragment(t, r, w); fault.ClassOf(err) != fault.Gate || text != "" {
		t.Errorf("before the CCM: %q, %v", text, err)
	}
	byCommits(t, r, w, []journal.StepID{migration.StepInstall, migration.StepSwitch, migration.StepDisable})
	if text, err := fragment(t, r, w); err != nil || text != "" {
		t.Errorf("at the end: %q, %v", text, err)
	}
	r.Undo = true
	byCommits(t, r, w, []journal.StepID{migration.StepUndoDisable, migration.StepUndoSwitch, migration.StepUndoInstall, migration.StepUndoEnable, migration.StepVerify})
	if d := cmp.Diff(before, configured()); d != "" {
		t.Error(d)
	}
}

// announceEnable returns a cluster at P1 whose edit of enable was announced, and the handed-off
// edit.
func announceEnable(t *testing.T) (*World, Run, string) {
	t.Helper()
	w, r := NewRKE2(), Run{HandOver: true}
	byCommits(t, r, w, []journal.StepID{migration.StepLeaseAccess})
	r.ID, r.Until = w.nextRun(), migration.StepEnable
	if ended := do(t, r, w); fault.ClassOf(ended.Err) != fault.Gate {
		t.Fatal(ended.Err)
	}
	text, err := fragment(t, r, w)
	if err != nil {
		t.Fatal(err)
	}
	return w, r, text
}

// Without a commit, each run reports the same, writes nothing and announces nothing anew.
func TestHandoff_withoutCommit_repeatsItself(t *testing.T) {
	t.Parallel()
	w, r, text := announceEnable(t)
	intents := len(list(w.journalObject(), "intents"))
	for range 3 {
		r.ID = w.nextRun()
		ended := do(t, r, w)
		f, _ := fault.As(ended.Err)
		if f == nil || f.Reason != "AwaitingOwner" || !strings.Contains(f.Seen, "kube-controller-manager-arg") {
			t.Fatal(ended.Err)
		}
	}
	if n := len(list(w.journalObject(), "intents")); n != intents {
		t.Errorf("%d intents, had %d", n, intents)
	}
	again, err := fragment(t, r, w)
	if err != nil || again != text {
		t.Errorf("%v, another fragment:\n%s\nwas\n%s", err, again, text)
	}
}

// A commit that differs from the edit is watched during its rollout, and named once the cluster is
// at rest. After the right commit the run continues.
func TestCommitThatDiffers(t *testing.T) {
	t.Parallel()
	w, r, text := announceEnable(t)
	commit(t, w, strings.Replace(text, "- enable-leader-migration", "- v=4", 1))
	r.ID = w.nextRun()
	ended := do(t, r, w)
	f, _ := fault.As(ended.Err)
	if f == nil || f.Reason != "HandoffDiffers" || !strings.Contains(f.Seen, "kube-controller-manager-arg") {
		t.Fatal(ended.Err)
	}
	now, err := fragment(t, r, w)
	if err != nil || now == text {
		t.Fatal(err, now)
	}
	commit(t, w, now)
	r.ID = w.nextRun()
	if ended := do(t, r, w); ended.Err != nil {
		t.Fatal(ended.Err)
	}
	if len(w.Violations()) > 0 {
		t.Error(w.Violations())
	}
}

// Both edits are committed at once, before a CCM exists. The next run watches the rollout, and
// pauses it because no process holds the migration lease. It names the commit to make instead.
func TestBothFragmentsAtOnce(t *testing.T) {
	t.Parallel()
	w, r, _ := announceEnable(t)
	all, err := fragments(t, r, w, true)
	if err != nil || strings.Count(all, "NOT YET: after install-ccm.") != 1 {
		t.Fatal(err, all)
	}
	_, second, _ := strings.Cut(all, "NOT YET")
	commit(t, w, "# NOT YET"+second)
	r.ID = w.nextRun()
	ended := do(t, r, w)
	if f, _ := fault.As(ended.Err); f == nil || f.Reason != "NoManager" {
		t.Error(ended.Err)
	}
	if len(w.Violations()) > 0 {
		t.Error(w.Violations())
	}
}

// An owner reverts the configuration at each position from P2 on. The next run writes no
// configuration and explains the situation. If the edit was its last work, it watches, and pauses
// Rancher before a control plane makes two managers. Otherwise it only reports the revert, at its
// beginning or its end.
func TestOwnerReverts(t *testing.T) {
	steps := []journal.StepID{migration.StepLeaseAccess, migration.StepEnable, migration.StepInstall, migration.StepSwitch, migration.StepDisable}
	for until, tt := range map[journal.StepID]struct {
		says, words string
		paused      string
		back        int // control planes with the old arguments when the run ends
	}{
		migration.StepEnable:  {says: "HandoffDiffers", words: "machineGlobalConfig.kube-controller-manager-arg differ", back: 3},
		migration.StepInstall: {says: "AWSM-121", words: "in-tree without enable-leader-migration, next to the cloud controller manager: two managers"},
		migration.StepSwitch:  {says: "TwoManagers", words: "is to run in-tree without enable-leader-migration next to", paused: "true", back: 0},
		migration.StepDisable: {says: "AWSM-121", words: "in-tree without enable-leader-migration, next to the cloud controller manager: two managers"},
	} {
		t.Run(string(until), func(t *testing.T) {
			t.Parallel()
			w, r := NewRKE2(), Run{HandOver: true}
			before := w.mgmt.get(provClusters, fleet, clusterName)["spec"]
			byCommits(t, r, w, steps[:slices.Index(steps, until)+1])
			cluster := w.mgmt.get(provClusters, fleet, clusterName)
			cluster["spec"] = before
			w.mgmt.put(provClusters, cluster, w.now)
			look(t, r, w.clone(), func(_ context.Context, p *procedure.Migration, seen migration.Snapshot) {
				header := strings.Join(p.Header(seen), "\n")
				if got, want := strings.Contains(header, "about to take"), until != migration.StepEnable; got != want {
					t.Errorf("status warns of two managers: %t, want %t\n%s", got, want, header)
				}
			})
			r.ID = w.nextRun()
			r.Before = func(c Call) Outcome {
				if c.Writes && strings.HasSuffix(c.Path, "/clusters/"+clusterName) {
					t.Errorf("%s %s: the configuration belongs to its owner", c.Verb, c.Path)
				}
				return Pass
			}
			ended := do(t, r, w)
			f, _ := fault.As(ended.Err)
			if ended.Err == nil || (f == nil || f.Reason != tt.says) && !strings.Contains(ended.Err.Error(), tt.says) || !strings.Contains(ended.Err.Error(), tt.words) {
				t.Errorf("%v, want %s: %s", ended.Err, tt.says, tt.words)
			}
			if strings.HasPrefix(tt.says, "AWSM") && (f == nil || !strings.HasPrefix(f.Object, tt.says)) {
				t.Errorf("reports %v first, want %s: waiting makes it worse", f, tt.says)
			}
			if got := text(w.mgmt.peek(controlPlanes, fleet, clusterName), "metadata", "annotations", paused); got != tt.paused {
				t.Errorf("paused: %q, want %q", got, tt.paused)
			}
			back := 0
			for _, m := range w.machines {
				args := nodeArgs(m)
				if m.controlPlane && !slices.Contains(args, "enable-leader-migration") && !slices.Contains(args, "cloud-provider=external") {
					back++
				}
			}
			if back != tt.back {
				t.Errorf("%d control planes have the old arguments, want %d", back, tt.back)
			}
			if len(w.Violations()) > 0 {
				t.Error(w.Violations())
			}
		})
	}
}
