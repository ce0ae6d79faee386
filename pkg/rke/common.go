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

// Common holds the methods that the backends of both kinds of RKE cluster share. They use
// rke's state, leases and Nodes.
type Common struct {
	Access  migration.Access
	Options Options
	Names   *naming.Rule // naming rule of this run, or nil before the decision
	volumes verify.Read[[]rkestate.PinnedVolume]
	// TryEdits returns an error if a pending edit cannot be computed. It writes nothing.
	TryEdits func(migration.Snapshot, naming.Rule) error
}

// CloudConfig implements migration.Backend. It reads the config of the in-tree provider from
// the file. The switch removes it there, so afterwards it reads the Secret of the chart.
func (c *Common) CloudConfig(ctx context.Context, snap migration.Snapshot) (string, error) {
	config := FactsOf(snap).Config
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
func (c *Common) Evidence(_ context.Context, snap migration.Snapshot, input *evidence.Input) {
	input.KCMs = append(input.KCMs, snap.Reading.KCMEvidence()...)
	facts := FactsOf(snap)
	input.Registries = facts.Registries
	if facts.File != nil {
		input.CredentialProvider = credentialProvider(facts.Config.Services.Kubelet)
	}
}

// Decide implements migration.Backend. It fixes the naming rule that the checks judged for
// the rest of the run.
func (c *Common) Decide(snap migration.Snapshot, input evidence.Input) {
	if names, err := c.chooseNames(snap, input.Cloud); err == nil {
		c.Names = &names
	}
}

// Checks implements migration.Backend.
func (c *Common) Checks(snap migration.Snapshot, input evidence.Input, made migration.Prepared) []verify.Bound {
	prepared := rkechecks.Prepared{Facts: FactsOf(snap), Reading: snap.Reading, Prepared: made, Input: input, Options: c.Options.ofChecks()}
	if prepared.Names, prepared.NameErr = c.chooseNames(snap, input.Cloud); prepared.NameErr == nil {
		prepared.EditErr = c.TryEdits(snap, prepared.Names)
	}
	return verify.Bind(prepared, rkechecks.All()...)
}

func (c *Common) chooseNames(snap migration.Snapshot, instances cloud.Facts) (naming.Rule, error) {
	return naming.Choose(FactsOf(snap), snap.Reading.Down.Nodes, instances, c.Options.targets()...)
}

// NameRule returns the naming rule of this run. It decides now if no check has.
func (c *Common) NameRule(ctx context.Context, snap migration.Snapshot) (naming.Rule, error) {
	if c.Names != nil {
		return *c.Names, nil
	}
	_, instances, err := audit.Facts(ctx, c.Access, snap, false)
	if err != nil {
		return naming.Rule{}, err
	}
	rule, err := c.chooseNames(snap, instances)
	if err == nil {
		c.Names = &rule
	}
	return rule, err
}

// HeaderOf returns lines for people: title, position, and the naming rule.
func (c *Common) HeaderOf(snap migration.Snapshot, title string) []string {
	lines := []string{title, "now    " + snap.Result.Text()}
	if c.Names != nil {
		lines = append(lines, fmt.Sprintf("names  useInstanceMetadataHostname: %t (%s)", c.Names.UseMetadata, c.Names.Why))
	}
	return lines
}

// PinnedVolumes returns the pinned volumes of the cluster. It reads them once per run: no step
// creates or deletes one.
func (c *Common) PinnedVolumes(ctx context.Context) verify.Read[[]rkestate.PinnedVolume] {
	if !c.volumes.Looked {
		c.volumes = rkestate.ReadPinnedVolumes(ctx, c.Access.Kube)
	}
	return c.volumes
}

// UpgradeAllowed returns an error if the target version is no valid upgrade.
func (c *Common) UpgradeAllowed(snap migration.Snapshot) error {
	return migration.UpgradeAllowed(snap.Reading.Version, c.Options.KubernetesVersion, "-rancher")
}

// Document implements migration.Backend. It returns an error: neither cluster.yml nor
// Rancher's Cluster object installs charts from documents.
func (c *Common) Document(migration.Snapshot, ...string) (migration.Edit, error) {
	return migration.Edit{}, migration.UsageError("flag --install-method", string(migration.InstallManifest), string(migration.InstallHelm))
}

// Handoff implements migration.Backend. It returns nil: a cluster.yml belongs to its user, and
// no other tool applies copies of RKE clusters that Rancher manages.
func (c *Common) Handoff() migration.Handoff { return nil }
