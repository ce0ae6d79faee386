package procedure

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/migration/rolling"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// history is what a run keeps of its observations, for those to come.
type history struct {
	// found are renames that were there before this run, by the new name: what an
	// undo goes back from. Their Nodes are nobody's any more.
	renamed map[string]bool
	outage  outage
	hadCCM  bool // the CCM's DaemonSet was there
	started time.Time
	leases  lease.Window
	// unchanged says since when nobody wrote a lease.
	unchanged migration.Unchanged
	rollout   *rolloutMemory
}

// rolloutMemory is what a process has seen of the control planes. An undo and a watch are
// copies of a Migration and share it: a run that watched first does not wait once more.
type rolloutMemory struct {
	exits    rolling.Exits
	kubelets rolling.Kubelets
	// whole holds, by step, the last reading in which the configuration had all of its edit.
	whole map[journal.StepID]migration.Config
}

// Observe implements runner.Procedure: it reads both sides.
func (m *Migration) Observe(ctx context.Context, record journal.Record) (migration.Snapshot, error) {
	began := m.Clock.Now()
	seen, err := m.observe(ctx, record)
	now := m.Clock.Now()
	m.before.outage = m.before.outage.next(now, now.Sub(began), err)
	if err != nil {
		return migration.Snapshot{}, err
	}
	seen.At, seen.Unseen, seen.Outage = now, m.before.outage.before, m.before.outage.recent(now)
	m.before.hadCCM = m.before.hadCCM || seen.Reading.Down.CCM != nil
	m.before.unchanged = m.before.unchanged.Next(began, now, seen.Reading.Leases)
	seen.HadCCM, seen.Unchanged = m.before.hadCCM, m.before.unchanged
	m.before.rollout.exits = m.before.rollout.exits.Next(seen)
	return seen, nil
}

func (m *Migration) observe(ctx context.Context, record journal.Record) (migration.Snapshot, error) {
	seen := migration.Snapshot{Record: record, Back: m.back, InstallMethod: m.Options.InstallMethod}
	var err error
	if seen.Config, err = m.Backend.Read(ctx, record); err != nil {
		return seen, err
	}
	down, err := m.ReadCluster(ctx)
	if err != nil {
		return seen, err
	}
	if m.back {
		if down.Record, err = m.Chart().RecordLeft(ctx, record, down); err != nil {
			return seen, err
		}
	}
	reading := seen.Config.Combine(down)
	reading.Stale, reading.Down, reading.MayOutlive = m.before.renamed, down, m.before.rollout.kubelets.MayOutlive(reading)
	if seen.Reading, err = m.observeLeases(ctx, reading); err != nil {
		return seen, err
	}
	seen.Result = position.Compute(seen.Reading.Evidence())
	if m.back {
		seen.InstallMethod = seen.Reading.InstalledAs
		if m.before.renamed == nil {
			if m.before.renamed, err = m.goesBackFrom(seen); err != nil {
				return seen, err
			}
		}
		seen.Reading.Stale = m.before.renamed
	}
	return seen, nil
}

// goesBackFrom are the renames that an undo found when it began. What came since, while
// nobody watched, is for the brake, and where nobody looks no undo goes on over it: only a
// person may take it for one more.
func (m *Migration) goesBackFrom(seen migration.Snapshot) (map[string]bool, error) {
	nobodyLooks := m.Options.Unattended && LastUndid(seen.Record)
	if m.watches || nobodyLooks {
		return guard.KnownRenamed(seen.Record)
	}
	return guard.Renamed(seen), nil
}

// observeLeases takes the leases of a reading into the window. Where the position
// rests on a holder that was not yet looked at for long enough, it looks on: after the
// first reading of a run, or one that follows an outage.
func (m *Migration) observeLeases(ctx context.Context, r migration.Reading) (migration.Reading, error) {
	deadline := r.RenewDeadline()
	for {
		m.before.leases = m.before.leases.Add(r.Down.Leases.Taken(m.Clock.Since(m.before.started)), deadline+beyondDeadline)
		if r.Leases = m.before.leases.Leases(); !awaitsCCM(r) || r.LeaseVerdict().Life != lease.Silent {
			return r, nil
		}
		if err := retry.Pause(ctx, m.Clock, leaseTick); err != nil {
			return r, err
		}
		var err error
		if r.Down.Leases, err = m.ReadLeases(ctx); err != nil {
			return r, err
		}
	}
}

const (
	leaseTick = 500 * time.Millisecond
	// beyondDeadline makes the window longer than the deadline by the pace of readings.
	beyondDeadline = 5 * time.Second
)

// awaitsCCM says whether nobody but a CCM with the flag can hold the migration lease.
func awaitsCCM(r migration.Reading) bool {
	for _, k := range r.KCMs {
		if !k.Mode().IsExternal() {
			return false
		}
	}
	return len(r.KCMs) > 0 && r.CCMEvidence().Migration
}

// BackOff is the longest pause that a kubelet makes between two starts of a container
// which ends again and again (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13,
// MaxContainerBackOff). For that long after an API server was away, what ended for
// want of it may still stand still.
const BackOff = 5 * time.Minute

// outage is what a run knows of its own readings, by its own clock.
type outage struct {
	failed time.Time // the last reading that failed, or met an API that stood still; zero: none
	gap    bool      // no reading has succeeded since
	before bool      // the reading before the last one failed
	quick  bool      // the last one succeeded sooner than a leader gives up
}

// stoodStill is how long a reading takes at least that meets an API which stands still for
// as long as a leader waits for a renewal: it may have begun a moment later.
const stoodStill = component.DefaultRenewDeadline - component.DefaultRetryPeriod

// next takes in how a reading ended, and how long it took. One that took that long, behind
// one that did not, met an API that stood still: it was answered in the end, and components
// have ended for want of it meanwhile. Where every reading takes that long, the cluster is
// large or the way to it slow.
func (o outage) next(now time.Time, took time.Duration, err error) outage {
	if err != nil {
		return outage{failed: now, gap: true}
	}
	next := outage{failed: o.failed, before: o.gap, quick: took < stoodStill}
	if o.quick && !next.quick {
		next.failed = now
	}
	return next
}

// beside takes in a look at one object between two readings. A refusal is an answer.
func (o outage) beside(now time.Time, took time.Duration, err error) outage {
	if took >= stoodStill || retry.Transient(err) {
		o.failed = now
	}
	return o
}

// recent says whether what stands still now may do so for want of an API.
func (o outage) recent(now time.Time) bool {
	return !o.failed.IsZero() && now.Sub(o.failed) < BackOff
}
