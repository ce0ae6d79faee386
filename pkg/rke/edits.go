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

// flagPath is the location of the flag in RKE's guide.
var flagPath = []string{"services", "kube-controller", "extra_args", flagName}

// enableEdit returns the edit that sets the flag on every kube-controller-manager.
func enableEdit(file *clusterfile.File) (clusterfile.Edit, error) {
	return file.Edit(yamltext.Set("true", yamltext.Quoted, flagPath...))
}

// switchEdit returns one edit that makes the provider external and removes the flag. It also
// removes awsCloudProvider: while that key exists, even with an empty mapping, rke uses the
// in-tree provider regardless of the name
// (rancher/rke:cluster/defaults.go@v1.5.9, setCloudProvider). rke ignores the key without a
// value: the switch removes it, but it causes no edit later. made holds the parents that
// enableEdit created for the flag.
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

// upgradeEdit returns the edit that sets the version.
func upgradeEdit(file *clusterfile.File, version string) (clusterfile.Edit, error) {
	return file.Edit(yamltext.Set(version, yamltext.Plain, "kubernetes_version"))
}

// tryFileEdits returns an error if one of the two edits cannot be computed. It writes nothing.
func tryFileEdits(snap migration.Snapshot, names naming.Rule) error {
	if snap.Switched() {
		return nil
	}
	_, err := switchFrom(FactsOf(snap).File, names, yamltext.Made{})
	return err
}

// switchFrom returns the switch of a file that may not have the flag yet.
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

// madeByEnable returns the parents that enable-leader-migration created for the flag. It uses
// the newest edit in the journal that was not undone, or returns nothing.
func madeByEnable(record journal.Record, object string) yamltext.Made {
	for _, intent := range record.IntentsToUndo(migration.StepEnable, object) {
		if receipt, err := clusterfile.ParseReceipt(intent.Inverse); err == nil {
			return receipt.Made
		}
	}
	return yamltext.Made{}
}

// writeEdit writes intent and receipt of an edit to the journal, then the file.
func (b *Backend) writeEdit(ctx context.Context, tx *runner.Tx, edit clusterfile.Edit) error {
	inverse, err := json.Marshal(edit.Receipt())
	if err != nil {
		return fmt.Errorf("encode the receipt of an edit of %s: %w", b.Options.Config, err)
	}
	intent := journal.Intent{What: "edit " + b.Options.Config, Object: b.fileObject(), Inverse: inverse, Token: edit.SHA256()}
	return tx.Effect(ctx, intent, func(context.Context) error { return edit.Write(b.disk(), b.Options.Config) })
}

func (b *Backend) fileObject() string { return "file " + b.Options.Config }

// changeOf returns an edit for a plan, with the whole resulting text.
func (b *Backend) changeOf(edit clusterfile.Edit) []runner.Change {
	return changeOf(b.Options.Config, edit)
}

// changeOf returns the changes of an edit in the file at path.
func changeOf(path string, edit clusterfile.Edit) []runner.Change {
	if edit.Empty() {
		return nil
	}
	return []runner.Change{{Object: "file " + path, Diff: hideEnv(edit.Diff()), Result: string(edit.After), SHA256: edit.SHA256(), Form: runner.FileDiff}}
}

// requireNothingPending returns an error if `rke up` would also apply other changes than the
// migration.
func (b *Backend) requireNothingPending(snap migration.Snapshot) error {
	if b.Options.IncludePending {
		return nil
	}
	pending := drift.Of(FactsOf(snap), b.Options.KubernetesVersion)
	if len(pending) == 0 {
		return nil
	}
	lines := make([]string, 0, len(pending))
	for _, one := range pending {
		lines = append(lines, one.String())
	}
	return &fault.Error{Class: fault.Gate, Reason: "PendingChanges", Object: b.fileObject(),
		Seen:   fmt.Sprintf("%s that `rke up` has not applied yet: %s", fault.Count(len(pending), "change"), migration.JoinSome(lines)),
		Wanted: "a file that only the migration changes", Fix: "apply or revert them first, or add --include-pending"}
}
