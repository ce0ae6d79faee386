package procedure

import (
	"testing"
	"time"

	"k8s.io/client-go/kubernetes/fake"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// makeStep returns the step of an ID.
func makeStep(b base) migration.Step { return rowOf(b.ID).make(b) }

// observer returns a core that observes a cluster at a position.
func observer(p position.Position) (*Migration, *fake.Clientset, *clustertest.Side) {
	access, client, by := clustertest.Reached(p)
	return New(access, by), client, by
}

// looked returns the second observation of a core, after the leases changed.
func looked(t *testing.T, m *Migration, record journal.Record) migration.Snapshot {
	t.Helper()
	var snap migration.Snapshot
	for range 2 {
		m.Clock.(clustertest.Clock).Step(5 * time.Second)
		var err error
		if snap, err = m.Observe(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	return snap
}
