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
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Procedure is a migration.Procedure with the methods that views need.
type Procedure interface {
	migration.Procedure
	// Watched returns the step whose change still rolls out; see runner.Guarded.
	Watched(context.Context, migration.Snapshot) migration.Step
	// RequireInformed returns an error if a GitOps tool would revert the configuration, so that
	// no write is allowed.
	RequireInformed(migration.Snapshot) error
	// Alone returns an error if another process runs controller managers for the cluster.
	Alone(context.Context, migration.Snapshot) error
	// Handoff returns the next edit for the owner to commit.
	Handoff(ctx context.Context, snap migration.Snapshot, form string, all bool) (string, error)
	// NextEdit returns that edit in every form, or zero if no edit is due.
	NextEdit(ctx context.Context, snap migration.Snapshot) (procedure.NextEdit, error)
	// Foresee returns the result of a run's preflight without a write.
	Foresee(context.Context, migration.Snapshot) (procedure.Foreseen, error)
}

// Migration is a procedure that can be audited and undone. The interface makes the compiler
// check both backends.
type Migration interface {
	Procedure
	// Gather reads the input of all checks.
	Gather(ctx context.Context, snap migration.Snapshot) (audit.Inspection, error)
	// GatherAPIOnly reads the input that needs no observation of the cluster.
	GatherAPIOnly(ctx context.Context, record journal.Record) (audit.Inspection, error)
	// Undo returns the rollback procedure.
	Undo() *procedure.Migration
	// Watching returns the procedure that watches a rollout of the last run.
	Watching(record journal.Record) *procedure.Migration
}

// Session is an opened migration with its journal and lock.
type Session struct {
	Migration Migration
	Procedure Procedure // the procedure to run: the migration or its undo
	Journal   journal.Journal
	Lock      lock.Lock
	Owner     lock.Owner
	RunID     string
	To        []Destination // places that a run writes to

	Clock clock.WithTicker

	// DisplayName is the name of the cluster in Rancher's UI, or empty if that is its target's name.
	DisplayName string

	watched Watched              // connection to the cluster, for a recording
	home    kubernetes.Interface // cluster of journal and lock, or nil
	counter kubernetes.Interface // cluster that counts the epoch, or nil if the journal is in it
	isUndo  bool
	// followed reports whether the direction is that of a run that works now.
	followed bool
	scope    options.Scope // of the options that shape this procedure
	reopen   func(context.Context, map[string]string) (*Session, error)
}

// Connector connects to one cluster, proves its identity and returns its migration. Target
// implements it.
type Connector interface {
	Connect(ctx context.Context, o Options, may Access) (*Session, error)
}

// Open connects to a cluster, to read (ReadOnly) or to run.
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
		s.switchToUndo()
	}
	s.reopen = func(ctx context.Context, with map[string]string) (*Session, error) {
		if err := options.Overlay(s.scope, with, &o.Options, &o.RKE2, &o.RKE); err != nil {
			return nil, err
		}
		return Open(ctx, t, o, may)
	}
	return s, nil
}

// Connect implements Connector.
func (t Target) Connect(ctx context.Context, o Options, may Access) (*Session, error) {
	to := serverDialer{t.RequestTimeout, may, o.clock()}
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

// newSession returns a session with journal and lock at the location that the procedure's
// target names.
func newSession(p Migration, home kubernetes.Interface, o Options) *Session {
	target, processes, witness := p.Target(), lock.HostProcesses(), lock.HostWitness()
	name, who := journal.Name(target.Name), o.owner(processes)
	scope := options.RKE
	if target.Kind == string(RKE2) {
		scope = options.RKE2
	}
	lock := lock.NewLease(home, target.Namespace, name, who, o.clock())
	lock.Processes, lock.Witness = processes, witness
	return &Session{
		Migration: p, Procedure: p, RunID: o.RunID, Owner: who, Lock: lock, Clock: o.clock(), home: home, scope: scope,
		Journal: journal.NewConfigMap(home, target.Namespace, name, target),
	}
}

// writingTo sets the places that a run reports as written to.
func (s *Session) writingTo(to []Destination) *Session {
	s.To = to
	return s
}

// countedBy makes the migrated cluster count the epoch, too. The journal is in another cluster,
// whose backups have other times.
func (s *Session) countedBy(cluster kubernetes.Interface) *Session {
	s.counter = cluster
	return s
}

// reachedBy sets the connection to the cluster, for a recording.
func (s *Session) reachedBy(config *rest.Config) *Session {
	s.watched.Way = config
	return s
}

// withMachines sets the source of the cluster's machines.
func (s *Session) withMachines(m Machines) *Session {
	s.watched.Machines = m
	return s
}

// Counted returns the journal for a plan or a run: with the epoch that the migrated cluster
// counts. An audit does not need the epoch and saves the request.
func (s *Session) Counted() journal.Journal {
	if s.counter == nil {
		return s.Journal
	}
	return journal.Counted{Journal: s.Journal, Cluster: s.counter, Clock: s.Clock}
}

// Records returns the store of the records of former runs, next to the journal.
func (s *Session) Records() archive.Store {
	target := s.Migration.Target()
	return archive.Store{Client: s.home, Namespace: target.Namespace, Cluster: target.Name, Clock: s.Clock}
}

// keeper returns the store for a run's record, or nil.
func (s *Session) keeper() recording.Keeper {
	if s.home == nil {
		return nil
	}
	return s.Records()
}

// Held returns the holder of the cluster's lock, or nil.
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

// Undoing reports whether the session runs the undo.
func (s *Session) Undoing() bool { return s.isUndo }

func (s *Session) switchToUndo() { s.Procedure, s.isUndo = s.Migration.Undo(), true }

// Record returns the journal for read-only callers. An unreadable journal leaves only the parts
// unknown that it alone can decide. A broken journal, or one of another cluster, is an error.
func (s *Session) Record(ctx context.Context) (journal.Record, error) {
	state, err := s.Journal.Load(ctx)
	if err != nil && fault.ClassOf(err) == fault.CouldNotLook && ctx.Err() == nil {
		return journal.Record{Unread: err}, nil
	}
	return state.Record(), err
}
