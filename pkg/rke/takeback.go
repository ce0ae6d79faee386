package rke

import (
	"reflect"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// undoStep returns the edit that undoes the newest edit of a step that the file still
// contains. It uses the receipt in the journal and the backup next to the file: nothing else
// shows the earlier configuration of the in-tree provider.
//
// A receipt is spent if file and backup agree in the settings that the edit changed; other
// lines may differ. Once the file has no trace of the step, older receipts are spent as well,
// because their backups may be gone. undoStep returns an error if the file has traces of the
// step that no receipt covers.
func (b *Backend) undoStep(snap migration.Snapshot, file *clusterfile.File, step journal.StepID) (clusterfile.Edit, error) {
	for i, intent := range snap.Record.IntentsToUndo(step, b.fileObject()) {
		if i > 0 && stepTrace(file.Config(), step) == "" {
			break
		}
		receipt, err := clusterfile.ParseReceipt(intent.Inverse)
		if err != nil {
			return clusterfile.Edit{}, snap.Record.Foreign(intent, err)
		}
		path := clusterfile.BackupPath(FactsOf(snap).Path, receipt.Before)
		backup, err := b.disk().ReadFile(path)
		if err != nil {
			return clusterfile.Edit{}, &fault.Error{Class: fault.Usage, Reason: "NoBackup", Object: "file " + path, Seen: "cannot be read",
				Wanted: "the cluster.yml from before the edit, which awsmigrate kept there", Fix: "bring it back, or undo the edit by hand and run again", Err: err}
		}
		if isSpent(file, backup) {
			continue
		}
		if edit, err := file.Undo(receipt, backup); err != nil || !edit.Empty() {
			return edit, clusterfile.WithBackup(err, path)
		}
	}
	if found := stepTrace(file.Config(), step); found != "" {
		return clusterfile.Edit{}, NoEditToUndo(b.fileObject(), found, step,
			"restore the text from before "+string(step)+" ("+clusterfile.BackupPath(FactsOf(snap).Path, "*")+" keep what edits found), or undo it by hand; then run again")
	}
	return clusterfile.Edit{}, nil
}

// isSpent reports whether file and backup agree in all settings that edits change.
func isSpent(file *clusterfile.File, backup []byte) bool {
	before, err := clusterfile.Parse(file.Name(), backup)
	if err != nil {
		return false
	}
	now, then := file.Config(), before.Config()
	flag, set := now.Services.KubeController.Flag(flagName)
	was, had := then.Services.KubeController.Flag(flagName)
	return flag == was && set == had && reflect.DeepEqual(now.CloudProvider, then.CloudProvider)
}

// stepTrace describes the trace of an editing step in a configuration, or returns empty.
func stepTrace(c clusterfile.Config, step journal.StepID) string {
	switch step {
	case migration.StepEnable:
		if value, set := c.Services.KubeController.Flag(flagName); set {
			return "gives kube-controller-manager " + flagName + "=" + value
		}
	case migration.StepSwitch:
		if c.CloudProvider.Resolved() == rkestate.ProviderExternal {
			return "names the cloud provider " + rkestate.ProviderExternal
		}
	}
	return ""
}

// NoEditToUndo returns the error of an undo if the configuration has traces of a step but
// the journal holds no edit of it. Waiting would not change that.
func NoEditToUndo(object, found string, step journal.StepID, fix string) error {
	return &fault.Error{Class: fault.Stale, Reason: "NothingToTakeBack", Object: object,
		Seen: found + ", and the journal holds no edit of " + string(step) + " to undo", Wanted: "an edit of awsmigrate that can be undone",
		Fix: fix}
}
