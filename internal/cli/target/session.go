package target

import (
	"context"
	"io"
	"os"
	"os/user"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// Opener is what the flags of a distribution come to: a session, once the target
// was proven.
type Opener interface {
	Open(ctx context.Context, out Output, may Access) (*Session, error)
}

// Output is what opening a cluster has to say, which may take a while.
type Output struct {
	Say func(line string) // what is waited for, for people
	Err io.Writer         // the output of programs that are run
}

// Procedure is a procedure that can describe itself to people.
type Procedure interface {
	migration.Procedure
	// Paused says who keeps the cluster from being rolled; "": nobody.
	Paused(migration.Snapshot) string
	// RequireInformed says why nothing may be written at all, begun or not: a tool
	// keeps the configuration and would put the old one back.
	RequireInformed(migration.Snapshot) error
	// Alone says who else runs controller managers for the cluster; nil: nobody.
	Alone(context.Context, migration.Snapshot) error
	// Handoff is the next edit that whoever keeps the configuration has to commit.
	Handoff(ctx context.Context, seen migration.Snapshot, form string, all bool) (string, error)
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
}

// Session is a migration together with where its journal and lock live.
type Session struct {
	Migration Migration
	Procedure Procedure // what is run or looked at: the migration, or its undo
	Journal   journal.Journal
	Lock      lock.Lock
	Owner     lock.Owner
	RunID     string
	Words     Words
}

// newSession puts journal and lock where the procedure's target says.
func newSession(p Migration, home kubernetes.Interface, runID string, words Words) *Session {
	target, processes := p.Target(), lock.HostProcesses()
	name, who := journal.Name(target.Name), owner(runID, processes)
	lock := lock.NewLease(home, target.Namespace, name, who, clock.RealClock{})
	lock.Processes = processes
	return &Session{
		Migration: p, Procedure: p, RunID: runID, Words: words, Owner: who, Lock: lock,
		Journal: journal.NewConfigMap(home, target.Namespace, name, target),
	}
}

// countedBy has the cluster that is migrated keep the epoch, too: the journal lies in
// another, whose backups are of another time.
func (s *Session) countedBy(cluster kubernetes.Interface) *Session {
	s.Journal = journal.Counted{Journal: s.Journal, Cluster: cluster, Clock: clock.RealClock{}}
	return s
}

// Record is the journal for a command that looks. One that could not be read costs
// only what it alone can settle; one that is broken, or of another cluster, is an
// error as everywhere.
func (s *Session) Record(ctx context.Context) (journal.Record, error) {
	state, err := s.Journal.Load(ctx)
	if err != nil && fault.ClassOf(err) == fault.CouldNotLook && ctx.Err() == nil {
		return journal.Record{Unread: err}, nil
	}
	return state.Record(), err
}

// owner says for other runs who holds the lock, and lets those on the same
// machine see whether it still lives.
func owner(runID string, processes lock.Processes) lock.Owner {
	o := lock.Owner{PID: os.Getpid(), Run: runID, Start: time.Now()}
	o.Place, o.Tick = processes.Self()
	if who, err := user.Current(); err == nil {
		o.User = who.Username
	}
	if host, err := os.Hostname(); err == nil {
		o.Host = host
	}
	return o
}
