package rke

import (
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// After an upgrade that was cut off, every kubelet may have its target version while rke must
// still run twice. The chart must wait: on a cluster that is not at rest it is refused, which
// would end the run and rke. The fake API server accepts no chart, so an attempt is an error.
func TestUpgrade_rkeCutOff_chartWaits(t *testing.T) {
	const target, token = "v1.27.16-rancher1-1", upToken + "run-1/upgrade/0"
	for name, tt := range map[string]struct {
		ended bool // the journal holds the success of rke
		ready bool // the Node is ready
		tries bool // the step tries to upgrade the chart
	}{
		"rke has to run again":     {false, true, false},
		"rke has ended well":       {true, true, true},
		"a Node has still to rest": {true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, m, _ := editedMigration(t)
			b.Options.KubernetesVersion, m.Options.KubernetesVersion = target, target
			m.Distribution, m.Config = wellknown.RKE, &rest.Config{Host: "http://127.0.0.1:1"}
			kept := &journal.Memory{}
			options := runner.Options{RunID: "run-2", Journal: kept, Lock: (&lock.Memory{}).For(lock.Owner{}), Clock: clock.RealClock{}, Sink: quiet{}}
			if err := options.Lock.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := kept.Commit(t.Context(), &journal.State{Intents: []journal.Intent{{Step: migration.StepUpgrade, Token: token}}}); err != nil {
				t.Fatal(err)
			}
			step := stepOf(t, m, migration.StepUpgrade)
			tx, err := runner.NewTx(t.Context(), step.Info(), options)
			if err != nil {
				t.Fatal(err)
			}
			if tt.ended {
				if err := tx.Note(t.Context(), upNote, upRecord{Token: token, OK: true}); err != nil {
					t.Fatal(err)
				}
			}
			snap := migration.Snapshot{Config: observed{Facts: rkefixture.Applied(t, "plain"), record: tx.Record()}, Record: tx.Record()}
			node := downstream.Node{}
			node.Kubelet = "v1.27.16"
			if tt.ready {
				node.Ready.Status = "True"
			}
			set := &downstream.DaemonSet{Containers: []downstream.Container{{Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14"}}}
			snap.Reading = migration.Reading{Version: target, Pending: snap.Config.Combine(downstream.Cluster{}).Pending}
			snap.Reading.Down.Nodes, snap.Reading.Down.CCM = []downstream.Node{node}, set
			if due, err := m.Chart().ImageDue(t.Context(), snap); err != nil || !due {
				t.Fatalf("the image is not due: this test shows nothing (%v)", err)
			}
			if err := step.(runner.WaitingStep[migration.Snapshot]).WhileWaiting(t.Context(), tx, snap); (err != nil) != tt.tries {
				t.Errorf("WhileWaiting: %v, wanted an attempt to install: %t", err, tt.tries)
			}
		})
	}
}
