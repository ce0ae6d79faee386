package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/chart"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Auditor reads and judges a cluster that a Backend configures.
type Auditor struct {
	migration.Access
	Backend migration.Backend
}

// Inspection is everything that was read for an audit, before it is judged.
type Inspection struct {
	Input evidence.Input
	Own   []verify.Bound // of the Backend, bound to what it read
	// EncodeBundle writes what those judge, without secrets; nil: nobody can.
	EncodeBundle func(*bundle.Redactor) ([]byte, error)
}

// Bound are all checks of an inspection, the Backend's own first. The audit of a cluster
// whose own side could not be read asks both sides the questions that they share.
func (i Inspection) Bound() []verify.Bound {
	return verify.Merge(slices.Concat(i.Own, checks.Bind(i.Input)))
}

// Gather reads everything that checks judge besides what was observed. It writes
// nothing on any API server but access reviews and dry runs.
func (a Auditor) Gather(ctx context.Context, seen migration.Snapshot, writes bool) (Inspection, error) {
	facts, instances, err := Facts(ctx, a.Access, seen)
	if err != nil {
		return Inspection{}, err
	}
	prepared := a.prepare(ctx, seen, writes)
	facts.Admission = prepared.Admission
	input := evidence.Input{
		Facts: facts, Position: seen.Result, Distribution: a.Distribution,
		Machines: seen.Reading.Refs(), Target: a.Options.KubernetesVersion, CloudRoutes: a.Options.CloudRoutes, Preflight: !a.Options.ReadOnly,
		Planned: prepared.PlannedSet, ImageAllowed: ImageAllowed, Cloud: instances, CloudConfig: a.cloudConfig(ctx, seen),
	}
	if err := addJournal(&input, seen.Record); err != nil {
		return Inspection{}, err
	}
	a.Backend.Evidence(seen, &input)
	a.Backend.Decide(seen, input)
	own := a.Backend.Checks(seen, input, prepared)
	keep := func(r *bundle.Redactor) ([]byte, error) { return a.Backend.EncodeBundle(seen, writes, r) }
	return Inspection{Input: input, Own: own, EncodeBundle: keep}, nil
}

// cloudConfig reads what the CCM's cloud config says in the place of facts of EC2. An
// audit that may not read it is judged by the arguments that name one: of rke's the
// chart's Secret is left from the switch on, which the role of an audit does not cover.
func (a Auditor) cloudConfig(ctx context.Context, seen migration.Snapshot) verify.Read[cloud.Config] {
	text, err := a.Options.CloudConfig, error(nil)
	if text == "" {
		if a.Options.ReadOnly && a.Distribution == wellknown.RKE && seen.Result.Position.AtLeast(position.P4) {
			return verify.Read[cloud.Config]{}
		}
		text, err = a.Backend.CloudConfig(ctx, seen)
	}
	switch {
	case err != nil && a.Options.ReadOnly:
		return verify.Read[cloud.Config]{}
	case err != nil:
		return verify.Failed[cloud.Config](fmt.Errorf("the cloud config could not be read: %w", err))
	}
	return verify.ReadOf(ccmchart.Overrides(text))
}

// GatherAPIOnly is Gather where these credentials, or an API server, do not give all
// that a procedure is judged by: what there is of the cluster itself. Of the position
// it says what the API alone shows, and of the Backend nothing.
func (a Auditor) GatherAPIOnly(ctx context.Context, record journal.Record) (Inspection, error) {
	plain := APIOnly{Config: a.Config, Clock: a.Clock, Options: a.Options, Distribution: a.Distribution, Record: record}
	seen, err := plain.Gather(ctx)
	if err != nil {
		return Inspection{}, err
	}
	return seen, addJournal(&seen.Input, record)
}

// addJournal adds what a journal knows of the cluster, or why it cannot be read.
func addJournal(input *evidence.Input, record journal.Record) error {
	before, known, err := guard.Fingerprint(record)
	if known {
		input.Fingerprint = &before
	}
	input.Unread = record.Unread
	return err
}

// Inspect gathers and judges.
func (a Auditor) Inspect(ctx context.Context, seen migration.Snapshot, writes bool) (verify.Report, downstream.Facts, error) {
	gathered, err := a.Gather(ctx, seen, writes)
	if err != nil {
		return verify.Report{}, downstream.Facts{}, err
	}
	return verify.RunAll(ctx, gathered.Bound(), a.Options.Checks(seen.Result.Position)), gathered.Input.Facts, nil
}

// Facts reads everything of the cluster itself that checks judge, and its instances.
func Facts(ctx context.Context, a migration.Access, seen migration.Snapshot) (downstream.Facts, cloud.Facts, error) {
	reader, err := kube.New(a.Config, a.Clock)
	if err != nil {
		return downstream.Facts{}, cloud.Facts{}, err
	}
	facts, instances := readBoth(ctx, reader, a.Options, seen.Record, func(downstream.Facts) string { return seen.Reading.Version })
	return facts, instances, nil
}

// ImageAllowed says why an image of the CCM must not run with a Kubernetes
// version, by the version matrix.
func ImageAllowed(image, kubernetes string) error {
	parsed, err := awsccm.ParseImage(image)
	if err != nil {
		return err
	}
	return awsccm.ImageAllowed(parsed, kubernetes)
}

func (a Auditor) chart() chart.Chart { return chart.Chart{Access: a.Access, Backend: a.Backend} }
