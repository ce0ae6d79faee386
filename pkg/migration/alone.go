package migration

import (
	"context"
	"fmt"

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
func (m *Migration) Alone(ctx context.Context, seen Snapshot) error {
	_, err := m.alone(ctx, seen)
	return err
}

// RequireAlone is Alone before a change of who runs the cloud controllers: hours may
// have passed since the preflight looked. An API that is away for a moment is an
// error that may be tried again, and no manager that could not be seen.
func (m *Migration) RequireAlone(ctx context.Context, seen Snapshot) error {
	facts, err := m.alone(ctx, seen)
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

func (m *Migration) alone(ctx context.Context, seen Snapshot) (downstream.Facts, error) {
	reader, err := kube.New(m.Config, m.Clock)
	if err != nil {
		return downstream.Facts{}, err
	}
	input := evidence.Input{Facts: kube.ReadManagers(ctx, reader), Position: seen.Result, Distribution: m.Distribution}
	if len(input.StaticPods.Value) == 0 {
		input.KCMs = seen.Reading.KCMEvidence() // RKE runs them outside the API
	}
	report := verify.RunAll(ctx, verify.Bind(input, checks.Managers()...), verify.Options{Position: seen.Result.Position})
	return input.Facts, JudgeReport(report, Options{})
}
