package migration_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The longest of the known deadlines counts, including the CCM's.
func TestRenewDeadline_arguments_longest(t *testing.T) {
	long := component.Parse([]string{"--leader-elect-renew-deadline=40s"})
	for name, tt := range map[string]struct {
		change func(*migration.Reading)
		want   int
	}{
		"the default": {func(*migration.Reading) {}, 10},
		"a KCM's":     {func(r *migration.Reading) { r.KCMs[1].Args = long }, 40},
		"not known":   {func(r *migration.Reading) { r.KCMs[1].Args, r.KCMs[1].Known = long, false }, 10},
		"the CCM's": {func(r *migration.Reading) {
			r.Down.CCM.Containers[0].Args = []string{"--leader-elect-renew-deadline=20s"}
		}, 20},
		"no CCM": {func(r *migration.Reading) { r.Down.CCM = nil }, 10},
	} {
		seen := clustertest.At(position.P3)
		tt.change(&seen.Reading)
		if got := seen.Reading.RenewDeadline(); int(got.Seconds()) != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// RKE's kubelets omit the revision of a version. Without a target every version matches.
func TestAtTarget_versions_allKubeletsMatch(t *testing.T) {
	seen := clustertest.At(position.P5)
	seen.Reading.Down.Nodes[1].Kubelet = "v1.27.10"
	for version, want := range map[string]bool{"": true, "v1.26.15+rke2r1": false, "v1.27.10": false} {
		if got := seen.AtTarget(version); got != want {
			t.Errorf("%q: %t", version, got)
		}
	}
	for i := range seen.Reading.Down.Nodes {
		seen.Reading.Down.Nodes[i].Kubelet = "v1.27.10"
	}
	for version, want := range map[string]bool{"": true, "v1.27.10": true, "v1.27.10-rancher1-1": true, "v1.27.10+rke2r1": false, "v1.27.1-rancher1-1": false} {
		if got := seen.AtTarget(version); got != want {
			t.Errorf("%q: %t", version, got)
		}
	}
	if (migration.Snapshot{}).AtTarget("v1.27.10") {
		t.Error("a cluster without Nodes runs it")
	}
	for p, want := range map[position.Position]bool{position.P3: false, position.P4: true, position.Unknown: false} {
		if got := (migration.Snapshot{Result: clustertest.ResultAt(p)}).Switched(); got != want {
			t.Errorf("%s: switched %t", p, got)
		}
	}
}

// Each write of a lease restarts its idle time. Leases do not affect each other.
func TestIdle_leaseWrites_restartTime(t *testing.T) {
	var seen migration.Snapshot
	now := clustertest.Start
	leases := lease.Leases{Migration: clustertest.Renewing("a_1", wellknown.KCM), CCM: clustertest.Renewing("b_1", wellknown.CCM)}
	for i, tt := range []struct {
		after   time.Duration
		version string
		gone    bool
		idle    bool
	}{
		{0, "1", false, false}, {39 * time.Second, "1", false, false}, {0, "2", false, false}, {39 * time.Second, "2", false, false},
		{time.Second, "2", false, true}, {0, "3", false, false}, {0, "3", true, true}, {40 * time.Second, "3", false, false},
	} {
		now = now.Add(tt.after)
		leases.Migration.Last.ResourceVersion, leases.Migration.Last.Exists = tt.version, !tt.gone
		leases.CCM.Last.ResourceVersion = fmt.Sprint(i)
		before := maps.Clone(seen.Unchanged)
		next := seen.Unchanged.Next(now, now, leases)
		if !maps.Equal(before, seen.Unchanged) {
			t.Errorf("look %d changed the previous marks", i)
		}
		seen.At, seen.Unchanged = now, next
		if got := seen.Idle(wellknown.MigrationLease, leases.Migration.Last); got != tt.idle {
			t.Errorf("look %d: idle %t", i, got)
		}
		if seen.Idle(wellknown.CCMLease, leases.CCM.Last) {
			t.Errorf("look %d: a lease that is written all the time is idle", i)
		}
	}
	if (migration.Snapshot{At: now}).Idle(wellknown.MigrationLease, leases.Migration.Last) {
		t.Error("a lease that this run has not watched is idle")
	}
}
