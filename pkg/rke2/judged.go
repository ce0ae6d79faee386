package rke2

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// Checks implements migration.Backend.
func (b *Backend) Checks(seen migration.Snapshot, _ evidence.Input, made migration.Prepared) []verify.Bound {
	return verify.Bind(rke2checks.Prepare(factsOf(seen), seen.Reading, made, b.options.ofChecks(), seen.Switched()), rke2checks.All()...)
}

// Evidence implements migration.Backend.
func (b *Backend) Evidence(seen migration.Snapshot, input *evidence.Input) {
	if choice, err := b.endState(seen); err == nil {
		input.EndState = evidence.EndState(choice.State)
	}
	input.Registries = rke2checks.Registries(factsOf(seen), rancher.NodesByMachine(seen.Reading.Down))
}

// Decide implements migration.Backend: all that a run goes by is seen in the cluster.
func (b *Backend) Decide(migration.Snapshot, evidence.Input) {}

// EncodeBundle implements migration.Backend.
func (b *Backend) EncodeBundle(seen migration.Snapshot, writes bool, r *bundle.Redactor) ([]byte, error) {
	return rke2checks.EncodeBundle(factsOf(seen), seen.Reading, b.options.ofChecks(), writes, r)
}

// endState chooses once per reading; the evidence does not change during a run
// unless somebody changes it, and then it has to be judged again.
func (b *Backend) endState(seen migration.Snapshot) (rke2checks.EndStateChoice, error) {
	return rke2checks.EndStateOf(factsOf(seen), seen.Switched(), b.options.EndState, seen.Reading.Down.Nodes)
}
