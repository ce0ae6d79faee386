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

// Auditor audits a cluster through its Backend.
type Auditor struct {
	migration.Access
	Backend migration.Backend
	// Detail also reads the aspects of load balancers that need a request for each of them.
	Detail bool
}

// Inspection holds all facts of an audit before the checks judge them.
type Inspection struct {
	Input evidence.Input
	Own   []verify.Bound // the Backend's checks, bound to its facts
	// EncodeBundle encodes the input of the Backend's checks without secrets, or is nil.
	EncodeBundle func(*bundle.Redactor) ([]byte, error)
}

// Bound returns all checks of an inspection, the Backend's first. A check that both
// answer appears once; see verify.Merge.
func (i Inspection) Bound() []verify.Bound {
	return verify.Merge(slices.Concat(i.Own, checks.Bind(i.Input)))
}

// Gather adds all other facts for the checks to an observation. writes reports whether a
// later step of the run writes. Gather writes nothing to any API server except access reviews
// and dry runs.
func (a Auditor) Gather(ctx context.Context, snap migration.Snapshot, writes bool) (Inspection, error) {
	facts, instances, err := Facts(ctx, a.Access, snap, a.Detail)
	if err != nil {
		return Inspection{}, err
	}
	prepared := a.prepare(ctx, snap, writes)
	facts.Admission = prepared.Admission
	input := evidence.Input{
		Facts: facts, Position: snap.Result, Distribution: a.Distribution,
		Machines: snap.Reading.Refs(), Target: a.Options.KubernetesVersion, CloudRoutes: a.Options.CloudRoutes, Preflight: !a.Options.ReadOnly,
		Planned: prepared.PlannedSet, CCMImage: ccmchart.NamedImage(a.Options.CCMImage, a.Options.Values), ImageAllowed: ImageAllowed, ImageFor: awsccm.ImageFor, Cloud: instances, CloudConfig: a.cloudConfig(ctx, snap),
	}
	if err := addJournal(&input, snap.Record); err != nil {
		return Inspection{}, err
	}
	a.Backend.Evidence(ctx, snap, &input)
	a.Backend.Decide(snap, input)
	own := a.Backend.Checks(snap, input, prepared)
	encode := func(r *bundle.Redactor) ([]byte, error) { return a.Backend.EncodeBundle(snap, writes, r) }
	return Inspection{Input: input, Own: own, EncodeBundle: encode}, nil
}

// cloudConfig returns the overrides of EC2 facts in the CCM's cloud config. If an audit must
// not read the config, the checks use the arguments that name one. After rke's switch only
// the chart's Secret holds the config, and an audit's role does not cover Secrets.
func (a Auditor) cloudConfig(ctx context.Context, snap migration.Snapshot) verify.Read[cloud.Config] {
	text, err := a.Options.CloudConfig, error(nil)
	if text == "" {
		if a.Options.ReadOnly && a.Distribution == wellknown.RKE && snap.Result.Position.AtLeast(position.P4) {
			return verify.Read[cloud.Config]{}
		}
		text, err = a.Backend.CloudConfig(ctx, snap)
	}
	switch {
	case err != nil && a.Options.ReadOnly:
		return verify.Read[cloud.Config]{}
	case err != nil:
		return verify.Failed[cloud.Config](fmt.Errorf("the cloud config could not be read: %w", err))
	}
	return verify.ReadOf(ccmchart.Overrides(text))
}

// GatherAPIOnly gathers the facts of the cluster's own API, if credentials or an API server
// do not allow Gather. The position follows from that API alone, and the Backend's checks
// are missing.
func (a Auditor) GatherAPIOnly(ctx context.Context, record journal.Record) (Inspection, error) {
	plain := APIOnly{Config: a.Config, Clock: a.Clock, Options: a.Options, Distribution: a.Distribution, Record: record}
	gathered, err := plain.Gather(ctx)
	if err != nil {
		return Inspection{}, err
	}
	return gathered, addJournal(&gathered.Input, record)
}

// addJournal adds the journal's fingerprint, and the error if the journal cannot be read.
func addJournal(input *evidence.Input, record journal.Record) error {
	before, known, err := guard.Fingerprint(record)
	if known {
		input.Fingerprint = &before
	}
	input.Unread = record.Unread
	return err
}

// Inspect gathers the facts and runs the checks. It returns the checks' input, too.
func (a Auditor) Inspect(ctx context.Context, snap migration.Snapshot, writes bool) (verify.Report, evidence.Input, error) {
	gathered, err := a.Gather(ctx, snap, writes)
	if err != nil {
		return verify.Report{}, evidence.Input{}, err
	}
	return verify.RunAll(ctx, gathered.Bound(), a.Options.Checks(snap.Result.Position)), gathered.Input, nil
}

// Facts reads all facts about the cluster itself, its instances and its load balancers, with
// detail those that need a request for each load balancer.
func Facts(ctx context.Context, a migration.Access, snap migration.Snapshot, detail bool) (downstream.Facts, cloud.Facts, error) {
	reader, err := kube.New(a.Config, a.Clock)
	if err != nil {
		return downstream.Facts{}, cloud.Facts{}, err
	}
	facts, instances := readBoth(ctx, reader, a.Options, snap.Record, func(downstream.Facts) string { return snap.Reading.Version }, detail)
	return facts, instances, nil
}

// ImageAllowed returns an error if the version skew policy forbids an image of the CCM for the
// oldest and the newest of the API servers.
func ImageAllowed(image, oldest, newest string) error {
	parsed, err := awsccm.ParseImage(image)
	if err != nil {
		return err
	}
	return awsccm.ImageAllowed(parsed, oldest, newest)
}

func (a Auditor) chart() chart.Chart { return chart.Chart{Access: a.Access, Backend: a.Backend} }
