package audit

import (
	"context"
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
)

// Alone says who else runs controller managers for the cluster; nil: nobody, and
// nothing was out of sight. A position is computed from those that a migration deals
// with, and says nothing of others. It writes nothing.
func Alone(ctx context.Context, access migration.Access, seen migration.Snapshot) error {
	_, err := otherManagers(ctx, access, seen)
	return err
}

// RequireAlone is Alone before a change of who runs the cloud controllers: hours may
// have passed since the preflight looked. An API that is away for a moment is an
// error that may be tried again, and no manager that could not be seen.
func RequireAlone(ctx context.Context, access migration.Access, seen migration.Snapshot) error {
	facts, err := otherManagers(ctx, access, seen)
	if err == nil {
		return nil
	}
	for _, unread := range []error{facts.LoosePods.Err, facts.Workloads.Err, facts.Nodes.Err, facts.StaticPods.Err, facts.DaemonSets.Err} {
		if unread != nil && retry.Transient(unread) {
			return fmt.Errorf("look for other controller managers: %w", unread)
		}
	}
	return err
}

func otherManagers(ctx context.Context, access migration.Access, seen migration.Snapshot) (downstream.Facts, error) {
	reader, err := kube.New(access.Config, access.Clock)
	if err != nil {
		return downstream.Facts{}, err
	}
	input := evidence.Input{Facts: kube.ReadManagers(ctx, reader), Position: seen.Result, Distribution: access.Distribution}
	if len(input.StaticPods.Value) == 0 {
		input.KCMs = seen.Reading.KCMEvidence() // RKE runs them outside the API
	}
	report := verify.RunAll(ctx, verify.Bind(input, checks.Managers()...), verify.Options{Position: seen.Result.Position})
	return input.Facts, JudgeReport(report, migration.Options{})
}
