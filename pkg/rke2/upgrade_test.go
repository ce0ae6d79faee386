package rke2

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// A cordon of the user's that the upgrade's roll removed is waited for and set again.
func TestUpgradeGivesBackCordons(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", UID: "u-1"}}
	kube := fake.NewClientset(node)
	p := &Backend{}
	m := &procedure.Migration{Backend: p, Access: migration.Access{Kube: kube, Clock: clocktesting.NewFakeClock(time.Unix(0, 0))}}
	seen := migration.Snapshot{Config: observed{Facts: resting()},
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
	tx, err := runner.NewTx(t.Context(), runner.Info{ID: StepUpgrade}, runner.Options{RunID: "r", Lock: lock, Journal: &journal.Memory{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Note(t.Context(), "fingerprint", packed); err != nil {
		t.Fatal(err)
	}
	seen.Record = tx.Record()
	if open := guard.OpenCordons(seen); len(open) != 1 || open[0].Object != "Node worker-1" {
		t.Errorf("open: %v", open)
	}
	m.Options.KubernetesVersion = "v1.27.16+rke2r1"
	steps := m.Steps()
	upgrade, is := steps[len(steps)-1].(runner.WaitingStep[migration.Snapshot])
	if !is {
		t.Fatal("the upgrade does nothing while it waits")
	}
	if err := upgrade.WhileWaiting(t.Context(), tx, seen); err != nil {
		t.Fatal(err)
	}
	now, err := kube.CoreV1().Nodes().Get(t.Context(), "worker-1", metav1.GetOptions{})
	if err != nil || !now.Spec.Unschedulable {
		t.Errorf("it is schedulable: %v %v", now, err)
	}
}
