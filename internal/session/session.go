package session

import (
	"context"
	"fmt"
	"io"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Procedure is a procedure that can describe itself to people.
type Procedure interface {
	migration.Procedure
	// Watched is the step whose change others still carry out; see runner.Guarded.
	Watched(context.Context, migration.Snapshot) migration.Step
	// RequireInformed says why nothing may be written at all, begun or not: a tool
	// keeps the configuration and would put the old one back.
	RequireInformed(migration.Snapshot) error
	// Alone says who else runs controller managers for the cluster; nil: nobody.
	Alone(context.Context, migration.Snapshot) error
	// Handoff is the next edit that whoever keeps the configuration has to commit.
	Handoff(ctx context.Context, seen migration.Snapshot, form string, all bool) (string, error)
	// NextEdit is the same in every form, for whoever shows it elsewhere; none where one
	// is not due.
	NextEdit(ctx context.Context, seen migration.Snapshot) (procedure.NextEdit, error)
	// Foresee says what the preflight of a run would come to now; it writes nothing.
	Foresee(context.Context, migration.Snapshot) (procedure.Foreseen, error)
}

// Migration is the procedure of a migration, which can be audited and taken back. Whoever
// misses one of its abilities does not compile.
type Migration interface {
	Procedure
	// Gather reads everything that its checks judge.
	Gather(ctx context.Context, seen migration.Snapshot) (audit.Inspection, error)
	// GatherAPIOnly is what can be had where the cluster cannot be observed.
	GatherAPIOnly(ctx context.Context, record journal.Record) (audit.Inspection, error)
	// Undo is the procedure that goes back.
	Undo() *procedure.Migration
	// Watching is the procedure that watches what the last run began.
	Watching(record journal.Record) *procedure.Migration
}

// Session is a migration together with where its journal and lock live.
type Session struct {
	Migration Migration
	Procedure Procedure // what is run or looked at: the migration, or its undo
	Journal   journal.Journal
	Lock      lock.Lock
	Owner     lock.Owner
	RunID     string
	To        []Destination // that a run writes to

	Clock clock.WithTicker

	watched Watched              // the cluster itself, for whoever records it
	home    kubernetes.Interface // where journal and lock lie; nil: in no cluster
	counter kubernetes.Interface // of the cluster that keeps the count of goals, too; nil: the journal lies in it
	undoing bool
}

// Connector reaches one cluster, proves that it is the one meant and builds its
// migration. A Target is one.
type Connector interface {
	Connect(ctx context.Context, o Options, may Access) (*Session, error)
}

// Open connects for whoever looks (ReadOnly) or runs.
func Open(ctx context.Context, t Connector, o Options, may Access) (*Session, error) {
	o.RunID, o.Choices.Unattended = runner.NewRunID(o.clock().Now()), o.Unattended
	if o.Live == nil {
		o.Live = io.Discard
	}
	s, err := t.Connect(ctx, o, may)
	if err != nil {
		return nil, err
	}
	if o.Undo {
		s.goBack()
	}
	return s, nil
}

// Connect implements Connector.
func (t Target) Connect(ctx context.Context, o Options, may Access) (*Session, error) {
	to := reach{t.RequestTimeout, may, o.clock()}
	switch t.Kind {
	case RKE2:
		return openRKE2(ctx, t, o, to)
	case RKE:
		return openManaged(ctx, t, o, to)
	case ClusterFile:
		return openFile(ctx, t, o, to)
	case APIOnly:
	}
	return nil, &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "target " + t.Name, Seen: "kind " + string(t.Kind), Wanted: "a cluster that can be migrated"}
}

// newSession puts journal and lock where the procedure's target says.
func newSession(p Migration, home kubernetes.Interface, o Options) *Session {
	target, processes, witness := p.Target(), lock.HostProcesses(), lock.HostWitness()
	name, who := journal.Name(target.Name), o.owner(processes)
	lock := lock.NewLease(home, target.Namespace, name, who, o.clock())
	lock.Processes, lock.Witness = processes, witness
	return &Session{
		Migration: p, Procedure: p, RunID: o.RunID, Owner: who, Lock: lock, Clock: o.clock(), home: home,
		Journal: journal.NewConfigMap(home, target.Namespace, name, target),
	}
}

// writingTo has people be told where a run writes.
func (s *Session) writingTo(to []Destination) *Session {
	s.To = to
	return s
}

// countedBy has the cluster that is migrated keep the epoch, too: the journal lies in
// another, whose backups are of another time.
func (s *Session) countedBy(cluster kubernetes.Interface) *Session {
	s.counter = cluster
	return s
}

// reachedBy keeps the way to the cluster itself, for whoever records it.
func (s *Session) reachedBy(way *rest.Config) *Session {
	s.watched.Way = way
	return s
}

// withMachines keeps who knows the cluster's machines.
func (s *Session) withMachines(m Machines) *Session {
	s.watched.Machines = m
	return s
}

// Counted is the journal for whoever plans or runs: with the epoch as the migrated cluster
// counts it. An audit decides nothing by that count, and saves the request.
func (s *Session) Counted() journal.Journal {
	if s.counter == nil {
		return s.Journal
	}
	return journal.Counted{Journal: s.Journal, Cluster: s.counter, Clock: s.Clock}
}

// Records are those of former runs, beside the journal.
func (s *Session) Records() archive.Store {
	target := s.Migration.Target()
	return archive.Store{Client: s.home, Namespace: target.Namespace, Cluster: target.Name, Clock: s.Clock}
}

// keeper keeps the record of a run; nil: nobody does.
func (s *Session) keeper() recording.Keeper {
	if s.home == nil {
		return nil
	}
	return s.Records()
}

// Held is who holds the lock of the cluster; nil: nobody.
func (s *Session) Held(ctx context.Context) (*lock.Held, error) {
	if s.home == nil {
		return nil, nil
	}
	target := s.Migration.Target()
	held, err := lock.Look(ctx, s.home, target.Namespace, journal.Name(target.Name))
	if err != nil {
		return nil, retry.Classify(err, fmt.Sprintf("Lease %s/%s", target.Namespace, journal.Name(target.Name)))
	}
	return held, nil
}

// Undoing says whether the procedure is the way back.
func (s *Session) Undoing() bool { return s.undoing }

func (s *Session) goBack() { s.Procedure, s.undoing = s.Migration.Undo(), true }

// Record is the journal for whoever looks. One that could not be read costs
// only what it alone can settle; one that is broken, or of another cluster, is an
// error as everywhere.
func (s *Session) Record(ctx context.Context) (journal.Record, error) {
	state, err := s.Journal.Load(ctx)
	if err != nil && fault.ClassOf(err) == fault.CouldNotLook && ctx.Err() == nil {
		return journal.Record{Unread: err}, nil
	}
	return state.Record(), err
}
