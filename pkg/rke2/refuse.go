package rke2

import (
	"context"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// unfit are the checks that tell a cluster which this tool cannot migrate from
// one that something has to be mended in first: its version, what Rancher can
// manage, what its machines run.
var unfit = []string{"AWSM-101", "AWSM-102", "AWSM-103"}

// refused says why a migration may not even begin. It is asked while a run is
// planned: what is refused here leaves no trace, neither lock nor journal. Once
// something was written, the same checks stop the preflight of a later run.
func refused(ctx context.Context, view View, at position.Result, o Options) error {
	all := verify.Bind(Prepared{View: view, Options: o}, Checks()...)
	known := append(slices.Clone(all), verify.Bind(checks.Input{}, checks.For(checks.RKE2)...)...)
	if err := (verify.Report{Refused: verify.Refusals(known, o.checks(at.Position))}).Err(); err != nil {
		return err
	}
	if at.Position != position.P0 || at.Mixed {
		return nil
	}
	return verify.RunAll(ctx, all, verify.Options{Position: at.Position, Only: unfit}).Err()
}

// checks are the checks that a run makes. What --only names is looked at
// besides those that may not be skipped, never instead of them.
func (o Options) checks(at position.Position) verify.Options {
	return verify.Options{Position: at, Skip: o.Skip, Only: o.OnlyChecks, KeepGuards: true}
}
