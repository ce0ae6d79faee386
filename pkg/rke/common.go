package rke

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Common is what the backends of both kinds of RKE cluster share: whatever rke's state,
// its leases and the Nodes tell, and the checks that judge it.
type Common struct {
	Access  migration.Access
	Options Options
	Names   *naming.Rule // that this run keeps to; nil: not decided yet
	volumes verify.Read[[]rkestate.PinnedVolume]
	// TryEdits computes the edits to come without writing them.
	TryEdits func(migration.Snapshot, naming.Rule) error
}

// CloudConfig implements migration.Backend: the in-tree provider's, from the file;
// after the switch, which takes it out of there, from the Secret of the chart.
func (c *Common) CloudConfig(ctx context.Context, seen migration.Snapshot) (string, error) {
	config := FactsOf(seen).Config
	if text := cloudConfigText(config); text != "" || config.CloudProvider.Name == "aws" {
		return text, nil
	}
	const name = wellknown.CCM + "-cloud-config"
	secret, err := c.Access.Kube.CoreV1().Secrets(wellknown.System).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", migration.CouldNotRead("Secret kube-system/"+name, err)
	}
	return string(secret.Data["cloud.conf"]), nil
}

// Choices implements migration.Backend.
func (c *Common) Choices() map[string]string { return c.Options.Choices() }

// Evidence implements migration.Backend.
func (c *Common) Evidence(seen migration.Snapshot, input *evidence.Input) {
	input.KCMs = append(input.KCMs, seen.Reading.KCMEvidence()...)
	facts := FactsOf(seen)
	input.Registries = facts.Registries
	if facts.File != nil {
		provider, _ := facts.Config.Services.Kubelet.Flag(evidence.CredentialProviderConfig)
		input.CredentialProvider = &provider
	}
}

// Decide implements migration.Backend: a run keeps to the names that its checks judged.
func (c *Common) Decide(seen migration.Snapshot, input evidence.Input) {
	if names, err := c.chooseNames(seen, input.Cloud); err == nil {
		c.Names = &names
	}
}

// Checks implements migration.Backend.
func (c *Common) Checks(seen migration.Snapshot, input evidence.Input, made migration.Prepared) []verify.Bound {
	prepared := rkechecks.Prepared{Facts: FactsOf(seen), Reading: seen.Reading, Prepared: made, Input: input, Options: c.Options.ofChecks()}
	if prepared.Names, prepared.NameErr = c.chooseNames(seen, input.Cloud); prepared.NameErr == nil {
		prepared.EditErr = c.TryEdits(seen, prepared.Names)
	}
	return verify.Bind(prepared, rkechecks.All()...)
}

func (c *Common) chooseNames(seen migration.Snapshot, instances cloud.Facts) (naming.Rule, error) {
	return naming.Choose(FactsOf(seen), seen.Reading.Down.Nodes, instances, c.Options.targets()...)
}

// NameRule is what the checks of this run decided, or what they would.
func (c *Common) NameRule(ctx context.Context, seen migration.Snapshot) (naming.Rule, error) {
	if c.Names != nil {
		return *c.Names, nil
	}
	_, instances, err := audit.Facts(ctx, c.Access, seen)
	if err != nil {
		return naming.Rule{}, err
	}
	rule, err := c.chooseNames(seen, instances)
	if err == nil {
		c.Names = &rule
	}
	return rule, err
}

// HeaderOf is for people: what the cluster is, its position, and how names are kept.
func (c *Common) HeaderOf(seen migration.Snapshot, is string) []string {
	lines := []string{is, "now    " + seen.Result.Text()}
	if c.Names != nil {
		lines = append(lines, fmt.Sprintf("names  useInstanceMetadataHostname: %t (%s)", c.Names.UseMetadata, c.Names.Why))
	}
	return lines
}

// PinnedVolumes are looked for once in a run: nothing of it makes or removes one.
func (c *Common) PinnedVolumes(ctx context.Context) verify.Read[[]rkestate.PinnedVolume] {
	if !c.volumes.Looked {
		c.volumes = rkestate.ReadPinnedVolumes(ctx, c.Access.Kube)
	}
	return c.volumes
}

// UpgradeAllowed refuses a version that may not come next.
func (c *Common) UpgradeAllowed(seen migration.Snapshot) error {
	return migration.UpgradeAllowed(seen.Reading.Version, c.Options.KubernetesVersion, "-rancher")
}

// Document implements migration.Backend: neither cluster.yml nor Rancher's Cluster
// object installs charts by documents.
func (c *Common) Document(migration.Snapshot, ...string) (migration.Edit, error) {
	return migration.Edit{}, migration.UsageError("flag --install-method", string(migration.InstallManifest), string(migration.InstallHelm))
}

// Handoff implements migration.Backend: cluster.yml is its owner's own file, and of RKE
// that Rancher manages nobody keeps a copy that would be applied again.
func (c *Common) Handoff() migration.Handoff { return nil }
