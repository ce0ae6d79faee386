package procedure

import (
	"context"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/migration/replace"
	"github.com/awsmigrate/awsmigrate/pkg/migration/rolling"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// history holds what earlier observations of a run contribute to later ones.
type history struct {
	// renamed holds the renames that an undo accepts, by new name: they existed before this
	// run. No machine uses their old Nodes.
	renamed map[string]bool
	outage  outage
	hadCCM  bool // whether the CCM's DaemonSet existed
	started time.Time
	leases  lease.Window
	// unchanged records since when each lease has had no write.
	unchanged migration.Unchanged
	rollout   *rolloutMemory
}

// rolloutMemory holds what a process has observed of the control planes. An undo and a watch
// are copies of a Migration and share it, so a run that watched first does not wait again.
type rolloutMemory struct {
	exits    rolling.Exits
	kubelets rolling.Kubelets
	ends     replace.Ends // of the CCM's pods with the flag
	// applied holds, by step, the last Config that had all of the step's edit.
	applied map[journal.StepID]migration.Config
}

// Observe implements runner.Procedure. It reads the configuration and the migrated cluster.
func (m *Migration) Observe(ctx context.Context, record journal.Record) (migration.Snapshot, error) {
	return m.observe(ctx, func(ctx context.Context) (migration.Snapshot, error) {
		config, err := m.Backend.Read(ctx, record)
		if err != nil {
			return migration.Snapshot{}, err
		}
		return m.read(ctx, record, config)
	})
}

// observe adds a reading to the history of the observations.
func (m *Migration) observe(ctx context.Context, read func(context.Context) (migration.Snapshot, error)) (migration.Snapshot, error) {
	began := m.Clock.Now()
	snap, err := read(ctx)
	now := m.Clock.Now()
	m.history.outage = m.history.outage.next(now, now.Sub(began), err)
	if err != nil {
		return migration.Snapshot{}, err
	}
	snap.At, snap.Unseen, snap.Outage = now, m.history.outage.afterGap, m.history.outage.isRecent(now)
	m.history.hadCCM = m.history.hadCCM || snap.Reading.Down.CCM != nil
	m.history.unchanged = m.history.unchanged.Next(began, now, snap.Reading.Leases)
	snap.HadCCM, snap.Unchanged = m.history.hadCCM, m.history.unchanged
	m.history.rollout.exits = m.history.rollout.exits.Next(snap)
	return snap, nil
}

// read reads the migrated cluster, whose configuration was just read.
func (m *Migration) read(ctx context.Context, record journal.Record, config migration.Config) (migration.Snapshot, error) {
	snap := migration.Snapshot{Record: record, Config: config, Back: m.isUndo, InstallMethod: m.Options.InstallMethod}
	down, err := m.ReadCluster(ctx)
	if err != nil {
		return snap, err
	}
	if m.isUndo {
		if down.Record, err = m.Chart().RecordLeft(ctx, record, down); err != nil {
			return snap, err
		}
	}
	reading := snap.Config.Combine(down)
	reading.Stale, reading.Down, reading.MayOutlive = m.history.renamed, down, m.history.rollout.kubelets.MayOutlive(reading)
	if snap.Reading, err = m.observeLeases(ctx, reading); err != nil {
		return snap, err
	}
	snap.Result = position.Compute(snap.Reading.Evidence())
	if m.isUndo {
		snap.InstallMethod = snap.Reading.InstalledAs
		if m.history.renamed == nil {
			if m.history.renamed, err = m.knownRenames(snap); err != nil {
				return snap, err
			}
		}
		snap.Reading.Stale = m.history.renamed
	}
	return snap, nil
}

// knownRenames returns the renames that an undo accepts: those that it found when it began.
// Later renames of a time without a watch lead to a pause. An unattended undo never continues
// over them; only a person may accept another one.
func (m *Migration) knownRenames(snap migration.Snapshot) (map[string]bool, error) {
	unattended := m.Options.Unattended && LastUndid(snap.Record)
	if m.isGuard || unattended {
		return guard.KnownRenamed(snap.Record)
	}
	return guard.Renamed(snap), nil
}

// observeLeases adds the leases of a reading to the window. If the position depends on a holder
// that was not observed for long enough, it reads the leases again. This happens after the
// first reading of a run or after an outage.
func (m *Migration) observeLeases(ctx context.Context, r migration.Reading) (migration.Reading, error) {
	deadline := r.RenewDeadline()
	for {
		m.history.leases = m.history.leases.Add(r.Down.Leases.Taken(m.Clock.Since(m.history.started)), deadline+windowMargin)
		if r.Leases = m.history.leases.Leases(); !onlyCCMCanHold(r) || r.LeaseVerdict().Life != lease.Silent {
			return r, nil
		}
		if err := retry.Pause(ctx, m.Clock, leaseInterval); err != nil {
			return r, err
		}
		var err error
		if r.Down.Leases, err = m.ReadLeases(ctx); err != nil {
			return r, err
		}
	}
}

const (
	leaseInterval = 500 * time.Millisecond
	// windowMargin extends the window beyond the renew deadline by the interval of readings.
	windowMargin = 5 * time.Second
)

// onlyCCMCanHold reports whether only a CCM with the flag can hold the migration lease.
func onlyCCMCanHold(r migration.Reading) bool {
	for _, k := range r.KCMs {
		if !k.Mode().IsExternal() {
			return false
		}
	}
	return len(r.KCMs) > 0 && r.CCMEvidence().Migration
}

// BackOff is the longest delay of a kubelet between two starts of a crashing container
// (kubernetes/kubernetes:pkg/kubelet/kubelet.go@v1.26.13, MaxContainerBackOff). For that long
// after an API outage, containers that ended during it may still be down.
const BackOff = 5 * time.Minute

// outage records API outages that a run's readings met, by its own clock.
type outage struct {
	failed   time.Time // the last reading that failed or met an API that did not answer in time; zero if none did
	gap      bool      // no reading has succeeded since failed
	afterGap bool      // the reading before the last one failed
	quick    bool      // the last reading was faster than minOutage
}

// minOutage is the minimum duration of a reading that meets an API outage long enough to end a
// leader. The outage may begin a retry period before the reading.
const minOutage = component.DefaultRenewDeadline - component.DefaultRetryPeriod

// next records how a reading ended and how long it took. A slow reading after a fast one met an
// API outage: it was answered in the end, but components have ended meanwhile. If every reading
// is slow, the cluster is large or the connection slow.
func (o outage) next(now time.Time, took time.Duration, err error) outage {
	if err != nil {
		return outage{failed: now, gap: true}
	}
	next := outage{failed: o.failed, afterGap: o.gap, quick: took < minOutage}
	if o.quick && !next.quick {
		next.failed = now
	}
	return next
}

// addRequest records a request for one object between two readings. A refusal is an answer.
func (o outage) addRequest(now time.Time, took time.Duration, err error) outage {
	if took >= minOutage || retry.Transient(err) {
		o.failed = now
	}
	return o
}

// isRecent reports whether an outage may still explain a component that is down.
func (o outage) isRecent(now time.Time) bool {
	return !o.failed.IsZero() && now.Sub(o.failed) < BackOff
}
