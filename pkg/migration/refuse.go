package migration

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// refused says why a migration may not even begin. It is asked while a run is
// planned: what is refused here leaves no trace, neither lock nor journal. Once
// something was written, the same checks stop the preflight of a later run.
func (c *Core) refused(ctx context.Context) error {
	input := checks.Input{Distribution: c.Distribution}
	own := c.Side.Checks(ctx, &input, Prepared{})
	known := append(slices.Clone(own), verify.Bind(checks.Input{}, checks.For(c.Distribution)...)...)
	if err := (verify.Report{Refused: verify.Refusals(known, c.Options.Checks(c.Result.Position))}).Err(); err != nil {
		return err
	}
	if c.Result.Position != position.P0 || c.Result.Mixed {
		return nil
	}
	unsupported := slices.DeleteFunc(own, func(check verify.Bound) bool { return !check.Unsupported })
	return verify.RunAll(ctx, unsupported, verify.Options{Position: c.Result.Position}).Err()
}

// Precheck runs every check on a cluster on which nothing was begun. It is asked
// before the lock is taken, so that a cluster which the preflight would stop at
// is left without a trace of us. Once something was written, the preflight of the
// run judges alone.
func (c *Core) Precheck(ctx context.Context) error {
	if c.Result.Position != position.P0 || c.Result.Mixed {
		return nil
	}
	report, _, err := c.inspect(ctx, runner.Record{})
	if err != nil {
		return err
	}
	return JudgeReport(report, c.Options)
}

// Checks are those that a run makes. What --only names is looked at
// besides those that may not be skipped, never instead of them.
func (o Options) Checks(at position.Position) verify.Options {
	return verify.Options{Position: at, Skip: o.Skip, Only: o.OnlyChecks, KeepGuards: true}
}
