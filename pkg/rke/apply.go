package rke

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// change is a step that edits cluster.yml and has rke apply it.
type change struct {
	migration.Base
	p       *Procedure
	compute func(context.Context, migration.Snapshot) (clusterfile.Edit, error)
	// allowed are the conditions of the write, beside a cluster at rest.
	allowed func(context.Context, migration.Snapshot) error
	// open adds what the cluster does not show yet, once rke has ended.
	open func(*migration.Roll, migration.Snapshot)

	wait  string // what the step waits for
	back  bool   // it takes an edit back: a roll that is half done is what it ends
	token string // of the `rke up` that this run began; "": none
	// again is how many more times rke has to run. After one that was cut off
	// between stopping and renaming a container, the next starts the old container,
	// records the new state and exits 0; only the one after that sees the difference
	// (rancher/rke:docker/docker.go@v1.5.10, DoRollingUpdateContainer).
	again int
}

// Do implements runner.Step. Called again after a crash it finds the edit made,
// and runs rke if nothing shows that it ended well.
func (s *change) Do(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	s.p.child = nil // of an earlier step
	edit, err := s.compute(ctx, seen)
	if err != nil {
		return err
	}
	if !edit.Empty() {
		if err := s.p.requireNothingPending(seen); err != nil {
			return err
		}
		if err := s.restFor(seen); err != nil {
			return err
		}
		if err := s.allowed(ctx, seen); err != nil {
			return err
		}
		if err := s.p.writeEdit(ctx, tx, edit); err != nil {
			return err
		}
		if seen, err = s.Observe(ctx, tx.Record()); err != nil {
			return err
		}
	}
	if unfinished(seen) == "" {
		return nil
	}
	if s.p.options.NoRKEUp {
		return s.p.gateUp()
	}
	if err := s.p.requireNothingPending(seen); err != nil {
		return err
	}
	if cutOff(seen.Record) {
		s.again = 1
	}
	return s.up(ctx, tx, seen)
}

// restFor demands rest before an edit. What an undo finds half done, it ends.
func (s *change) restFor(seen migration.Snapshot) error {
	if s.back && s.Undoing(seen) {
		return nil
	}
	return s.RequireRest(seen)
}

func (s *change) up(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	s.token = fmt.Sprintf("%s%s/%s/%d", upToken, s.p.options.RunID, s.ID, s.again)
	return s.p.start(ctx, tx, seen, s.token, s.p.upArgs()...)
}

// Verify implements runner.Step.
func (s *change) Verify(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) (runner.Verdict, error) {
	if err := s.Guard.Judge(seen.Sighting()); err != nil {
		return migration.Braked(err), nil
	}
	if s.again > 0 && s.p.child != nil && !s.p.child.Running() && s.p.child.Err() == nil {
		return runner.Verdict{Kind: runner.Waiting, WaitingFor: "rke to run once more: the run before was cut off, and one alone may start what it had stopped",
			Seen: "it ended well", Progress: s.token}, nil
	}
	if verdict := s.p.childVerdict(seen); verdict != nil {
		return *verdict, nil
	}
	if noted, err := s.p.noteEnd(ctx, tx, upNote, s.token); err != nil {
		return runner.Verdict{}, err
	} else if noted {
		if seen, err = s.Observe(ctx, tx.Record()); err != nil {
			return runner.Verdict{}, err
		}
	}
	// Not while rke works: it read the file when it began, and must not be ended in
	// the middle of a node.
	if edit, err := s.compute(ctx, seen); err == nil && !edit.Empty() {
		return migration.TakenBack(s.p.fileObject(), nil, ""), nil
	}
	roll := &migration.Roll{WaitingFor: s.wait, Progress: seen.Reading.Progress(), Total: len(seen.Reading.Members)}
	if why := unfinished(seen); why != "" {
		roll.Wait("%s", why)
	}
	roll.WaitForNodes(seen.Reading)
	s.open(roll, seen)
	return roll.Verdict(), nil
}

// Tend implements runner.Tender: rke uncordons every node that it visits,
// whoever had cordoned it (rancher/rke:services/controlplane.go@v1.5.9).
func (s *change) Tend(ctx context.Context, tx *runner.Tx, seen migration.Snapshot) error {
	switch {
	case s.p.child != nil && s.p.child.Running():
		return nil // it may still visit them
	case s.again > 0 && s.p.child != nil && s.p.child.Err() == nil:
		s.again--
		return s.up(ctx, tx, seen)
	}
	return s.RestoreUserCordons(ctx, tx, seen)
}

// Finish implements runner.Finisher. An rke that was let finish needs no second
// run.
func (s *change) Finish(ctx context.Context, tx *runner.Tx, kindly bool) error {
	if err := s.p.finish(ctx, tx, kindly); err != nil || s.again > 0 || s.p.child == nil || s.p.child.Err() != nil {
		return err
	}
	_, err := s.p.noteEnd(ctx, tx, upNote, s.token)
	return err
}
