package rke

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/rke/drift"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

const flagName = "enable-leader-migration"

// flagPath is where RKE's guide puts the flag.
var flagPath = []string{"services", "kube-controller", "extra_args", flagName}

// enableEdit puts the flag on every kube-controller-manager.
func enableEdit(file *clusterfile.File) (clusterfile.Edit, error) {
	return file.Edit(yamltext.Set("true", yamltext.Quoted, flagPath...))
}

// switchEdit makes the provider external in one edit that also takes the flag
// away. awsCloudProvider goes: while the key is there, even empty, rke takes the
// in-tree provider whatever the name says
// (rancher/rke:cluster/defaults.go@v1.5.9, setCloudProvider). One without a value means
// nothing to rke: it goes with the switch, and is no reason for another edit. made is what EnableEdit
// put above the flag.
func switchEdit(file *clusterfile.File, names naming.Rule, made yamltext.Made) (clusterfile.Edit, error) {
	changes := []yamltext.Change{
		yamltext.Set(rkestate.ProviderExternal, yamltext.Plain, "cloud_provider", "name"),
		yamltext.Set(strconv.FormatBool(names.UseMetadata), yamltext.Plain, "cloud_provider", "useInstanceMetadataHostname"),
	}
	block, now := []string{"cloud_provider", "awsCloudProvider"}, file.Config().CloudProvider
	if now.AWS != nil || now.Name != rkestate.ProviderExternal && file.Line(block...) > 0 {
		changes = append(changes, yamltext.Delete(block...))
	}
	changes = append(changes, yamltext.Delete(flagPath...).Pruning(made))
	return file.Edit(changes...)
}

// upgradeEdit sets the version, in a run of its own.
func upgradeEdit(file *clusterfile.File, version string) (clusterfile.Edit, error) {
	return file.Edit(yamltext.Set(version, yamltext.Plain, "kubernetes_version"))
}

// tryFileEdits computes both edits, one after the other, without writing them.
func tryFileEdits(seen migration.Snapshot, names naming.Rule) error {
	if seen.Switched() {
		return nil
	}
	_, err := switchFrom(FactsOf(seen).File, names, yamltext.Made{})
	return err
}

// switchFrom is the switch of a file that may not have the flag yet.
func switchFrom(file *clusterfile.File, names naming.Rule, made yamltext.Made) (clusterfile.Edit, error) {
	first, err := enableEdit(file)
	if err != nil {
		return clusterfile.Edit{}, err
	}
	if !first.Empty() {
		if made.Empty() {
			made = first.Made
		}
		if file, err = clusterfile.Parse(file.Name(), first.After); err != nil {
			return clusterfile.Edit{}, err
		}
	}
	return switchEdit(file, names, made)
}

// madeByEnable returns what the newest edit of enable-leader-migration that is not taken
// back put above the flag, or nothing.
func madeByEnable(record journal.Record, object string) yamltext.Made {
	for _, intent := range record.ToTakeBack(migration.StepEnable, object) {
		if receipt, err := clusterfile.ParseReceipt(intent.Inverse); err == nil {
			return receipt.Made
		}
	}
	return yamltext.Made{}
}

// writeEdit puts an edit on disk: intent and receipt first.
func (b *Backend) writeEdit(ctx context.Context, tx *runner.Tx, edit clusterfile.Edit) error {
	inverse, err := json.Marshal(edit.Receipt())
	if err != nil {
		return fmt.Errorf("encode the receipt of an edit of %s: %w", b.Options.Config, err)
	}
	intent := journal.Intent{What: "edit " + b.Options.Config, Object: b.fileObject(), Inverse: inverse, Token: edit.SHA256()}
	return tx.Effect(ctx, intent, func(context.Context) error { return edit.Write(b.disk(), b.Options.Config) })
}

func (b *Backend) fileObject() string { return "file " + b.Options.Config }

// changeOf shows an edit in a plan, with the whole text that results.
func (b *Backend) changeOf(edit clusterfile.Edit) []runner.Change {
	return changeOf(b.Options.Config, edit)
}

// changeOf lists what an edit changes in the file.
func changeOf(path string, edit clusterfile.Edit) []runner.Change {
	if edit.Empty() {
		return nil
	}
	return []runner.Change{{Object: "file " + path, Diff: edit.Diff(), Result: string(edit.After), SHA256: edit.SHA256(), Form: runner.FileDiff}}
}

// requireNothingPending stops where `rke up` would do more than the migration.
func (b *Backend) requireNothingPending(seen migration.Snapshot) error {
	if b.Options.IncludePending {
		return nil
	}
	pending := drift.Of(FactsOf(seen), b.Options.KubernetesVersion)
	if len(pending) == 0 {
		return nil
	}
	lines := make([]string, 0, len(pending))
	for _, one := range pending {
		lines = append(lines, one.String())
	}
	return &fault.Error{Class: fault.Gate, Reason: "PendingChanges", Object: b.fileObject(),
		Seen:   fmt.Sprintf("%d changes that `rke up` has not applied yet: %s", len(pending), migration.JoinSome(lines)),
		Wanted: "a file that only the migration changes", Fix: "apply or revert them first, or add --include-pending"}
}
