package rke2

import (
	"context"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// Checks implements migration.Backend.
func (b *Backend) Checks(snap migration.Snapshot, input evidence.Input, made migration.Prepared) []verify.Bound {
	prepared := rke2checks.Prepare(rancherFacts(snap), snap.Reading, made, b.options.ofChecks(), snap.Switched())
	prepared.Next = rke2checks.NextMachinesOf(input)
	return verify.Bind(prepared, rke2checks.All()...)
}

// Evidence implements migration.Backend.
func (b *Backend) Evidence(ctx context.Context, snap migration.Snapshot, input *evidence.Input) {
	if choice, err := b.endState(snap); err == nil {
		input.EndState = evidence.EndState(choice.State)
	}
	input.Templates = readTemplates(ctx, b.clients.Management, rancherFacts(snap).Cluster)
	input.CredentialProvider = rke2checks.CredentialProvider(rancherFacts(snap))
	input.Registries = rke2checks.Registries(rancherFacts(snap), rancher.NodesByMachine(snap.Reading.Down))
}

// Decide implements migration.Backend. It does nothing: every decision follows from the
// snapshot.
func (b *Backend) Decide(migration.Snapshot, evidence.Input) {}

// EncodeBundle implements migration.Backend.
func (b *Backend) EncodeBundle(snap migration.Snapshot, writes bool, r *bundle.Redactor) ([]byte, error) {
	return rke2checks.EncodeBundle(rancherFacts(snap), snap.Reading, b.options.ofChecks(), writes, r)
}

// endState returns the end state that fits the snapshot. It decides again for every snapshot:
// the evidence can change during a run.
func (b *Backend) endState(snap migration.Snapshot) (rke2checks.EndStateChoice, error) {
	return rke2checks.EndStateOf(rancherFacts(snap), snap.Switched(), b.options.EndState, snap.Reading.Down.Nodes)
}
