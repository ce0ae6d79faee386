package guard

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// heldFor returns the lease s with a holder that has renewed it for the given time.
func heldFor(s lease.Series, by time.Duration) lease.Series {
	s.First.Acquire = s.Last.Renew.Add(-by)
	s.Last.Acquire = s.First.Acquire
	return s
}

// The first reading of a process is judged with the cluster's facts about the time before it.
func TestGuardTakesOver(t *testing.T) {
	const minute = time.Minute
	now := clustertest.Renewing("", "").Last.Renew // by the clock of the holder that renews
	stuck := func(s *migration.Snapshot) {
		s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
		s.Reading.Leases.Migration.First.Renew = now.Add(-2 * minute)
		s.Reading.Leases.Migration.Last.Renew = now.Add(-2 * minute)
	}
	down := func(s *migration.Snapshot) {
		s.Reading.Down.Nodes[2].Ready.Status, s.Reading.Down.Nodes[2].Ready.Since = "Unknown", now.Add(-6*minute)
	}
	restarted := func(s *migration.Snapshot) { clustertest.SetRestarts(&s.Reading.Down.CCMPods[1], 3) }
	before := map[string]int32{"ccm-cp-0": 0, "ccm-cp-1": 0}
	for name, tt := range map[string]struct {
		witness time.Duration // hold time of a renewed lease; 0 if no lease is renewed
		change  func(*migration.Snapshot)
		note    *ccmRestartNote
		want    string
	}{
		"nothing is wrong":                         {10 * minute, func(*migration.Snapshot) {}, &ccmRestartNote{now.Add(-minute), before}, ""},
		"the lease is not renewed for long":        {10 * minute, stuck, nil, "LeaseNotRenewed"},
		"and API servers may have been away":       {minute, stuck, nil, ""},
		"and no lease shows the cluster's time":    {0, stuck, nil, ""},
		"a machine is down for long":               {10 * minute, down, nil, "SwitchedNotReady"},
		"and API servers may have been away then":  {4 * minute, down, nil, ""},
		"and it is not switched":                   {10 * minute, func(s *migration.Snapshot) { down(s); s.Reading.Members[2].Kubelet = migration.KubeletInTree }, nil, ""},
		"and an undo began since":                  {10 * minute, func(s *migration.Snapshot) { down(s); s.Back = true }, nil, ""},
		"and the reading before this one failed":   {10 * minute, func(s *migration.Snapshot) { down(s); s.Unseen = true }, nil, ""},
		"the CCM restarted since it was seen":      {10 * minute, restarted, &ccmRestartNote{now.Add(-minute), before}, "CCMRestarts"},
		"and API servers may have been away since": {30 * time.Second, restarted, &ccmRestartNote{now.Add(-minute), before}, ""},
		"and no earlier process saw the CCM":       {10 * minute, restarted, nil, ""},
	} {
		snap := clustertest.At(position.P4)
		if tt.witness > 0 {
			snap.Reading.Leases.KCM = heldFor(snap.Reading.Leases.KCM, tt.witness)
		}
		tt.change(&snap)
		snap.Record = recordWith(t, tt.note)
		signals, err := SignalsOf(snap).WithPast(snap)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var g Guard
		if got := clustertest.ReasonOf(g.Judge(signals)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// recordWith returns a journal with a note, unless it is nil.
func recordWith(t *testing.T, note *ccmRestartNote) journal.Record {
	t.Helper()
	tx, err := runner.NewTx(t.Context(), runner.Info{ID: migration.StepSwitch}, runner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if note != nil {
		if err := tx.Note(t.Context(), handedOverNote, note); err != nil {
			t.Fatal(err)
		}
	}
	return tx.Record()
}

// A process records the restart counts of the CCM's pods once. It records them again if they
// change, or if no lease was held since the record, so that the next process can use them.
func TestKeepRestarts(t *testing.T) {
	tx, err := runner.NewTx(t.Context(), runner.Info{ID: migration.StepSwitch}, runner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var g Guard
	look := func(change func(*migration.Snapshot)) (kept ccmRestartNote) {
		t.Helper()
		snap := clustertest.At(position.P4)
		snap.Record = tx.Record()
		snap.Reading.Leases.KCM = heldFor(snap.Reading.Leases.KCM, time.Hour)
		change(&snap)
		if err := g.Judge(SignalsOf(snap)); err != nil {
			t.Fatal(err)
		}
		if err := g.KeepRestarts(t.Context(), tx, snap); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.NoteInto(handedOverNote, &kept); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	if kept := look(func(s *migration.Snapshot) { s.Reading.Leases.Migration = lease.Series{} }); kept.Restarts != nil {
		t.Errorf("before the hand-over: %+v", kept)
	}
	first := look(func(*migration.Snapshot) {})
	want := map[string]int32{"ccm-cp-0": 0, "ccm-cp-1": 0}
	if d := cmp.Diff(want, first.Restarts); d != "" {
		t.Error(d)
	}
	later := func(s *migration.Snapshot) { s.Reading.Leases.KCM.Last.Renew = first.At.Add(time.Minute) }
	if again := look(later); !again.At.Equal(first.At) {
		t.Errorf("the same was noted again: %+v", again)
	}
	newer := func(s *migration.Snapshot) {
		later(s)
		s.Reading.Leases.KCM.First.Acquire = first.At.Add(time.Second)
		s.Reading.Leases.KCM.Last.Acquire = first.At.Add(time.Second)
		s.Reading.Leases.CCM = lease.Series{}
		s.Reading.Leases.Migration = clustertest.Unwritten(s.Reading.Leases.Migration)
	}
	if again := look(newer); !again.At.After(first.At) {
		t.Errorf("no lease was held since the note, and it was not renewed: %+v", again)
	}
	outage := func(s *migration.Snapshot) { s.Outage = true; clustertest.SetRestarts(&s.Reading.Down.CCMPods[0], 2) }
	if again := look(outage); !maps.Equal(again.Restarts, map[string]int32{"ccm-cp-0": 2, "ccm-cp-1": 0}) {
		t.Errorf("restarts without an API: %+v", again)
	}
}
