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

// Alone returns an error if other controller managers run for the cluster, or if the cluster
// cannot be searched for them. The position does not show them, since it is computed from
// the managers of a migration. Alone writes nothing.
func Alone(ctx context.Context, access migration.Access, snap migration.Snapshot) error {
	_, err := otherManagers(ctx, access, snap)
	return err
}

// RequireAlone calls Alone before an edit that changes the manager of the cloud controllers,
// since hours may have passed after the preflight. A short outage of the API is a transient
// error, not a finding.
func RequireAlone(ctx context.Context, access migration.Access, snap migration.Snapshot) error {
	facts, err := otherManagers(ctx, access, snap)
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

func otherManagers(ctx context.Context, access migration.Access, snap migration.Snapshot) (downstream.Facts, error) {
	reader, err := kube.New(access.Config, access.Clock)
	if err != nil {
		return downstream.Facts{}, err
	}
	input := evidence.Input{Facts: kube.ReadManagers(ctx, reader), Position: snap.Result, Distribution: access.Distribution}
	if len(input.StaticPods.Value) == 0 {
		input.KCMs = snap.Reading.KCMEvidence() // RKE runs them outside the API
	}
	report := verify.RunAll(ctx, verify.Bind(input, checks.Managers()...), verify.Options{Position: snap.Result.Position})
	return input.Facts, JudgeReport(report, migration.Options{})
}
