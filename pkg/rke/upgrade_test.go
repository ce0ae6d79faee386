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

// An upgrade that was cut off may find every kubelet at its target while rke has
// still to run twice. The chart must wait until then: it is refused on a cluster
// that is not at rest, and the refusal would end the run and rke with it. Fake: the
// API server; no chart can be installed there, so that trying to is an error.
func TestTheChartWaitsForTheRKEOfACutOffUpgrade(t *testing.T) {
	const target, token = "v1.27.16-rancher1-1", upToken + "run-1/upgrade/0"
	for name, tt := range map[string]struct {
		ended bool // the journal knows that rke ended well
		ready bool // so is the Node
		tries bool // to bring the chart to the new version
	}{
		"rke has to run again":     {false, true, false},
		"rke has ended well":       {true, true, true},
		"a Node has still to rest": {true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, m, _ := edited(t)
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
			seen := migration.Snapshot{Config: observed{Facts: rkefixture.Applied(t, "plain"), record: tx.Record()}, Record: tx.Record()}
			node := downstream.Node{}
			node.Kubelet = "v1.27.16"
			if tt.ready {
				node.Ready.Status = "True"
			}
			set := &downstream.DaemonSet{Containers: []downstream.Container{{Image: "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14"}}}
			seen.Reading = migration.Reading{Version: target, Pending: seen.Config.Combine(downstream.Cluster{}).Pending}
			seen.Reading.Down.Nodes, seen.Reading.Down.CCM = []downstream.Node{node}, set
			if !m.Chart().ImageDue(t.Context(), seen) {
				t.Fatal("the image is not due: this test shows nothing")
			}
			if err := step.(runner.WaitingStep[migration.Snapshot]).WhileWaiting(t.Context(), tx, seen); (err != nil) != tt.tries {
				t.Errorf("WhileWaiting: %v, wanted an attempt to install: %t", err, tt.tries)
			}
		})
	}
}
