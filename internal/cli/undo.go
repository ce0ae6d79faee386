package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// newUndo is the undo command of a distribution.
func newUndo(a *app, target string, flags opener) *cobra.Command {
	engine := &engineFlags{}
	cmd := &cobra.Command{
		Use:   "undo " + target,
		Short: "Take a migration back to where it began, or take such an undo up again",
		Long: `Goes back through the positions, each proven before the next, from wherever the
migration stands: done, half-way, failed, or held by the brake. What is left to
take back is read from the cluster; how, from the journal. With --dry-run it
shows the steps and writes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMigration(cmd.Context(), a, undoOpener{flags}, engine)
		},
	}
	engine.register(cmd.Flags())
	addOutputFlag(cmd, a, "text|json|jsonl|yaml")
	return cmd
}

// undoOpener opens the undo of what its opener opens.
type undoOpener struct{ opener }

func (o undoOpener) open(ctx context.Context, a *app, may access) (*session, error) {
	s, err := o.opener.open(ctx, a, may)
	if err != nil {
		return nil, err
	}
	forward, ok := s.procedure.(interface{ Undo() *migration.Undo })
	if !ok {
		return nil, usage(fmt.Errorf("there is no undo for a cluster of this kind; docs/going-back.md says how to go back by hand"))
	}
	s.procedure = forward.Undo()
	s.words.undoing = true
	return s, nil
}

// look observes the cluster as the direction of the last run sees it: in the
// middle of an undo, what is left to take back.
func (s *session) look(ctx context.Context, record runner.Record) (migration.Snapshot, runner.Observation, error) {
	seen, says, err := s.observe(ctx, record)
	forward, ok := s.procedure.(interface{ Undo() *migration.Undo })
	if !ok || !migration.LastUndid(record) || err == nil && says.Position == position.P0.String() {
		return seen, says, err
	}
	s.procedure, s.words.undoing = forward.Undo(), true
	return s.observe(ctx, record)
}

func (s *session) observe(ctx context.Context, record runner.Record) (migration.Snapshot, runner.Observation, error) {
	seen, err := s.procedure.Observe(ctx, record)
	if err != nil {
		return seen, runner.Observation{}, err
	}
	says, err := s.procedure.Judge(seen)
	return seen, says, err
}
