package migration

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
)

// Alone says who else runs controller managers for the cluster; nil: nobody, and
// nothing was out of sight. A position is computed from those that a migration deals
// with, and says nothing of others. It writes nothing.
func (c *Core) Alone(ctx context.Context) error {
	reader, err := kube.New(c.Config, c.Clock)
	if err != nil {
		return err
	}
	input := checks.Input{Facts: kube.ReadManagers(ctx, reader), Position: c.Result, Distribution: c.Distribution}
	if len(input.StaticPods.Value) == 0 {
		input.KCMs = c.Reading.kcmEvidence() // RKE runs them outside the API
	}
	return JudgeReport(verify.RunAll(ctx, verify.Bind(input, checks.Managers()...), verify.Options{Position: c.Result.Position}), Options{})
}
