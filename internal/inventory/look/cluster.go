package look

import (
	"context"
	"errors"
	"os"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// look reads one cluster: the objects that Rancher has for it alone, and the cluster itself.
func (m management) look(ctx context.Context, one listedCluster) inventory.Facts {
	f := one.Facts
	missed := func(err error) {
		if err != nil {
			f.Errs = append(f.Errs, err)
		}
	}
	if f.Distribution == inventory.RKE2 && len(f.Errs) == 0 {
		missed(m.readPause(ctx, &f, len(one.spec.Pools) == 0))
	}
	if !f.OnItsWay(true) || len(f.Errs) > 0 {
		return f
	}
	missed(m.readLockAndJournal(ctx, &f))
	if m.NoReach || f.Deleting || len(f.Errs) > 0 || !f.OnItsWay(f.Traced()) {
		return f
	}
	seen, err := m.ask(ctx, f.Known)
	f.Seen = seen
	missed(err)
	return f
}

// readPause reads Rancher's copy of an RKE2 cluster. The copy shows what pauses the cluster. For a
// cluster without pools it also shows the Machines, whose labels select its configuration.
func (m management) readPause(ctx context.Context, f *inventory.Facts, custom bool) error {
	if !custom && !f.OnItsWay(true) {
		return nil
	}
	facts, err := m.clients().Read(ctx, f.Namespace, f.Name, m.Clock.Now())
	if err != nil {
		return err
	}
	f.Providers, f.Paused = facts.ManagerProviders(), facts.Paused()
	return nil
}

// readLockAndJournal reads lock and journal of a cluster, whichever program wrote them.
func (m management) readLockAndJournal(ctx context.Context, f *inventory.Facts) error {
	namespace, name := journalName(f.Known)
	var errs []error
	held, err := lock.Look(ctx, m.kube, namespace, name)
	if f.Held = held; err != nil {
		errs = append(errs, migration.CouldNotRead("Lease "+namespace+"/"+name, err))
	}
	if host, hostErr := os.Hostname(); held != nil && hostErr == nil {
		f.DiedHere = held.DiedHere(host, lock.HostProcesses(), lock.HostWitness())
	}
	state, found, err := journal.Look(ctx, m.kube, namespace, name)
	if found {
		f.Journal = &state
	}
	return errors.Join(append(errs, err)...)
}

// journalName returns where awsmigrate stores lock and journal of a cluster.
func journalName(k inventory.Known) (namespace, name string) {
	if k.Distribution == inventory.RKE {
		return k.ID, journal.Name(k.ID)
	}
	return k.Namespace, journal.Name(k.Name)
}

// ask reads the cluster itself, like status. A non-nil result was observed even if there is an
// error.
func (m management) ask(ctx context.Context, k inventory.Known) (*inventory.Seen, error) {
	target := session.Target{Kind: session.RKE2, Namespace: k.Namespace, Name: k.Name, Server: m.Server, RequestTimeout: m.RequestTimeout}
	scope := options.RKE2
	if k.Distribution == inventory.RKE {
		target = session.Target{Kind: session.RKE, Name: k.ID, Server: m.Server, RequestTimeout: m.RequestTimeout}
		scope = options.RKE
	}
	o := session.Options{Engine: session.Engine{Clock: m.Clock}}
	if err := o.Fill(scope, options.Defaults); err != nil {
		return nil, err
	}
	o.AWS, o.ReadOnly = "off", true
	s, err := session.Open(ctx, target, o, session.ReadOnly)
	if err != nil {
		return nil, err
	}
	record, err := s.Record(ctx)
	if err != nil {
		return nil, err
	}
	seen, says, err := s.Look(ctx, record)
	if seen.Config == nil {
		return nil, errors.Join(err, record.Unread)
	}
	if record.Unread != nil && fault.ClassOf(err) == fault.Check {
		err = nil // a mixture may be an unfinished step, which only the journal shows
	}
	return &inventory.Seen{Position: seen.Result, Step: nextStep(s.Procedure.Steps(), says), Undoing: s.Undoing()}, errors.Join(record.Unread, err)
}

// nextStep returns the first pending step.
func nextStep(steps []migration.Step, says runner.Observation) journal.StepID {
	for _, step := range steps {
		switch id := step.Info().ID; says.States[id].Kind {
		case runner.Todo, runner.InProgress:
			return id
		case runner.Done, runner.Skipped, runner.Always, "":
		}
	}
	return ""
}
