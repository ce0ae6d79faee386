package rke2

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// The step sets a user's cordon again if the rollout removed it.
func TestUpgrade_cordonRemoved_setAgain(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", UID: "u-1"}}
	kube := fake.NewClientset(node)
	p := &Backend{}
	m := &procedure.Migration{Backend: p, Access: migration.Access{Kube: kube, Clock: clocktesting.NewFakeClock(time.Unix(0, 0))}}
	snap := migration.Snapshot{Config: observed{Facts: rancherfixture.Resting()},
		Reading: migration.Reading{Down: downstream.Cluster{Nodes: []downstream.Node{{Name: node.Name, UID: string(node.UID)}}}}}

	then := continuity.Fingerprint{Schema: 1, Nodes: []continuity.NodePrint{{Name: "worker-1", UID: "u-1", Cordoned: true}}}
	packed, err := then.Encode()
	if err != nil {
		t.Fatal(err)
	}
	lock := (&lock.Memory{}).For(lock.Owner{Run: "r"})
	if err := lock.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	tx, err := runner.NewTx(t.Context(), runner.Info{ID: migration.StepUpgrade}, runner.Options{RunID: "r", Lock: lock, Journal: &journal.Memory{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Note(t.Context(), "fingerprint", packed); err != nil {
		t.Fatal(err)
	}
	snap.Record = tx.Record()
	if open := guard.OpenCordons(snap); len(open) != 1 || open[0].Object != "Node worker-1" {
		t.Errorf("open: %v", open)
	}
	m.Options.KubernetesVersion = "v1.27.16+rke2r1"
	steps := m.Steps()
	upgrade, is := steps[len(steps)-1].(runner.WaitingStep[migration.Snapshot])
	if !is {
		t.Fatal("the upgrade does nothing while it waits")
	}
	if err := upgrade.WhileWaiting(t.Context(), tx, snap); err != nil {
		t.Fatal(err)
	}
	now, err := kube.CoreV1().Nodes().Get(t.Context(), "worker-1", metav1.GetOptions{})
	if err != nil || !now.Spec.Unschedulable {
		t.Errorf("it is schedulable: %v %v", now, err)
	}
}

func TestCheckUpgrade_releaseFreezesArguments_refused(t *testing.T) {
	for target, refused := range map[string]bool{
		"v1.26.7+rke2r1": true, "v1.26.0+rke2r2": true, "v1.27.1+rke2r1": true, "v1.27.4+rke2r1": true, "v1.27.3-rc2+rke2r1": true,
		"v1.26.8+rke2r1": false, "v1.26.15+rke2r1": false, "v1.27.5+rke2r1": false, "v1.27.16+rke2r2": false,
	} {
		for _, now := range []string{"v1.25.16+rke2r1", "v1.26.0+rke2r1"} {
			err := checkUpgrade(now, target)
			if strings.HasPrefix(now, "v1.25") && strings.HasPrefix(target, "v1.27") {
				continue // skips a minor version
			}
			if (err != nil) != refused || refused && (fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), component.Unfixed(target))) {
				t.Errorf("%s → %s: %v", now, target, err)
			}
		}
	}
}

func TestUpgradeEdit_write_changesVersionOnce(t *testing.T) {
	const target = "v1.26.15+rke2r1"
	p, client := newMigration(t, Options{Options: migration.Options{KubernetesVersion: target}}, nil)
	tx := clustertest.TxOf(t, "run-2", migration.StepUpgrade)
	before := specOf(t, client)
	plan, err := p.plan(t, p.observe(t, tx.Record()), migration.StepUpgrade)
	if err != nil || plan.Rolls != 2 || plan.Takes != 6*runner.Minute || plan.Summary[0] != "Kubernetes v1.26.13+rke2r1 → "+target || plan.Changes[0].Before != "v1.26.13+rke2r1" || plan.Changes[0].After != target {
		t.Errorf("%v %+v", err, plan)
	}
	edit, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(migration.StepUpgrade, p.options.Options))
	if err == nil {
		err = edit.Write(t.Context(), tx)
	}
	after := specOf(t, client)
	before["kubernetesVersion"] = target
	if d := cmp.Diff(before, after); err != nil || d != "" || tx.Record().Intents[0].Token != target {
		t.Errorf("%v %s %+v", err, d, tx.Record().Intents)
	}
	if again, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(migration.StepUpgrade, p.options.Options)); err != nil || !again.Empty() {
		t.Errorf("a second time: %v %+v", err, again)
	}
	p.options.KubernetesVersion = "v1.30.0+rke2r1"
	if _, err := p.Edit(t.Context(), p.observe(t, tx.Record()), procedure.EditingOf(migration.StepUpgrade, p.options.Options)); fault.ClassOf(err) != fault.Usage {
		t.Errorf("it skips minor versions: %v", err)
	}
	// If the answer is lost, the version shows whether the patch arrived.
	for _, lands := range []bool{true, false} {
		p, client := newMigration(t, Options{Options: migration.Options{KubernetesVersion: target}}, nil)
		edit, err := p.Edit(t.Context(), p.observe(t, journal.Record{}), procedure.EditingOf(migration.StepUpgrade, p.options.Options))
		if err != nil {
			t.Fatal(err)
		}
		client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, runtime.Object, error) {
			if lands {
				_, _, _ = clienttesting.ObjectReaction(client.Tracker())(action)
			}
			return true, nil, apierrors.NewTimeoutError("lost", 1)
		})
		if err := edit.Write(t.Context(), clustertest.TxOf(t, "run-2", migration.StepUpgrade)); (err == nil) != lands {
			t.Errorf("it landed: %t, %v", lands, err)
		}
	}
}

// The edit is empty at the target version, and an error if it skips a minor version.
func TestUpgradeEdit(t *testing.T) {
	for target, want := range map[string]struct {
		changes int
		refused bool
	}{
		"v1.26.13+rke2r1": {}, "v1.27.16+rke2r1": {changes: 1}, "v1.28.9+rke2r1": {refused: true}, "v1.27.2+rke2r1": {refused: true},
	} {
		p := &Backend{}
		p.options.KubernetesVersion = target
		edit, err := p.Edit(t.Context(), migration.Snapshot{Config: observed{Facts: rancherfixture.Resting()}}, procedure.EditingOf(migration.StepUpgrade, p.options.Options))
		if (err != nil) != want.refused || len(edit.Changes) != want.changes {
			t.Errorf("%s: %v, %v", target, err, edit.Changes)
		}
	}
}

// Plan and step refuse every release whose kube-apiserver rejects the provider aws, before
// any write. They accept the neighboring releases.
func TestUpgradeEdit_releaseRefusesAWS(t *testing.T) {
	last := map[int]int{29: 10, 30: 6, 31: 2}
	for minor := 29; minor <= 31; minor++ {
		for patch := 0; patch <= last[minor]+1; patch++ {
			for _, build := range []string{"+rke2r1", "+rke2r2", "-rc1+rke2r1"} {
				if build == "-rc1+rke2r1" && patch > last[minor] {
					continue // the first candidates after a range differ
				}
				target := fmt.Sprintf("v1.%d.%d%s", minor, patch, build)
				for provider, refuses := range map[string]bool{"aws": patch <= last[minor], "external": false} {
					checkTarget(t, fmt.Sprintf("v1.%d.99+rke2r1", minor-1), target, provider, refuses)
				}
			}
		}
	}
	checkTarget(t, "v1.28.15+rke2r1", "v1.28.16+rke2r1", "aws", false)
	checkTarget(t, "v1.31.14+rke2r1", "v1.32.0+rke2r1", "aws", false)
}

// checkTarget reports a test error unless a migrated cluster refuses a target as wanted.
func checkTarget(t *testing.T, now, target, provider string, refused bool) {
	t.Helper()
	facts := factsWith(now, "v2.9.3", provider, "linux")
	facts.Machines[0].Labels[config.LabelControlPlane] = "true"
	p := &Backend{}
	p.options.KubernetesVersion = target
	snap := migration.Snapshot{Config: observed{Facts: facts}, Result: clustertest.ResultAt(position.P5)}
	plan, planErr := p.plan(t, snap, migration.StepUpgrade)
	edit, err := p.Edit(t.Context(), snap, procedure.EditingOf(migration.StepUpgrade, p.options.Options))
	if (err != nil) != refused || (planErr != nil) != refused || refused != edit.Empty() || refused != (len(plan.Changes) == 0) {
		t.Errorf("%s → %s with %s: %v, %v, %d changes", now, target, provider, err, planErr, len(edit.Changes))
	}
	if refused && fault.ClassOf(err) != fault.Check {
		t.Errorf("%s: class %d, want the one of exit code 3", target, fault.ClassOf(err))
	}
}

// Before the switch, the planned end state decides.
func TestUpgradeEdit_endStateToCome(t *testing.T) {
	for end, refused := range map[rke2checks.EndState]bool{rke2checks.EndOverrides: true, rke2checks.EndExternal: false} {
		facts := factsWith("v1.28.15+rke2r1", "v2.8.5", "aws", "linux")
		facts.Machines[0].Labels[config.LabelControlPlane] = "true"
		p := &Backend{}
		p.options.KubernetesVersion, p.options.EndState = "v1.29.3+rke2r1", end
		snap := migration.Snapshot{Config: observed{Facts: facts}, Result: clustertest.ResultAt(position.P3)}
		snap.Reading.Down.Nodes = []downstream.Node{rancherfixture.Node("m", `["server","--node-name","m"]`)}
		if _, err := p.Edit(t.Context(), snap, procedure.EditingOf(migration.StepUpgrade, p.options.Options)); (err != nil) != refused {
			t.Errorf("%s: %v", end, err)
		}
	}
}

// The Cluster object can hold any string as version, and Go quotes some of them unlike JSON.
func TestUpgradePatch_anyVersion_validJSON(t *testing.T) {
	for _, now := range []string{"v1.26.13+rke2r1", "\a", "\x7f", "\U000e0001", `"`} {
		text, err := upgradePatch(now, "v1.27.16+rke2r1")
		var ops []struct{ Op, Path, Value string }
		if err != nil || json.Unmarshal(text, &ops) != nil || len(ops) != 2 ||
			ops[0].Op != "test" || ops[0].Path != "/spec/kubernetesVersion" || ops[0].Value != now ||
			ops[1].Op != "replace" || ops[1].Path != ops[0].Path || ops[1].Value != "v1.27.16+rke2r1" {
			t.Errorf("%q: %v: %s", now, err, text)
		}
	}
}
