package rke

import (
	"reflect"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// takeBack returns the edit that takes back the newest edit of a step that is still in
// force in a file: by the receipt in the journal and the backup next to the file, since
// nothing else shows how an in-tree provider was configured. A receipt is spent if the file
// configures what the edit changed as the backup does: the lines around it may be others by
// then. Those older than the newest are spent, too, once the file has nothing of the step:
// their backups may be gone. If the file has something of the step that no
// receipt takes back, takeBack returns an error that says so.
func (b *Backend) takeBack(seen migration.Snapshot, file *clusterfile.File, step journal.StepID) (clusterfile.Edit, error) {
	for i, intent := range seen.Record.ToTakeBack(step, b.fileObject()) {
		if i > 0 && inForce(file.Config(), step) == "" {
			break
		}
		receipt, err := clusterfile.ParseReceipt(intent.Inverse)
		if err != nil {
			return clusterfile.Edit{}, seen.Record.Foreign(intent, err)
		}
		path := clusterfile.BackupPath(FactsOf(seen).Path, receipt.Before)
		backup, err := b.disk().ReadFile(path)
		if err != nil {
			return clusterfile.Edit{}, &fault.Error{Class: fault.Usage, Reason: "NoBackup", Object: "file " + path, Seen: "cannot be read",
				Wanted: "the cluster.yml from before the edit, which awsmigrate kept there", Fix: "bring it back, or undo the edit by hand and run again", Err: err}
		}
		if spent(file, backup) {
			continue
		}
		if edit, err := file.Undo(receipt, backup); err != nil || !edit.Empty() {
			return edit, clusterfile.WithBackup(err, path)
		}
	}
	if found := inForce(file.Config(), step); found != "" {
		return clusterfile.Edit{}, NothingToTakeBack(b.fileObject(), found, step,
			"put back the text from before "+string(step)+" ("+clusterfile.BackupPath(FactsOf(seen).Path, "*")+" keep what edits found), or undo it by hand; then run again")
	}
	return clusterfile.Edit{}, nil
}

// spent reports whether a file configures all that edits change as a backup does.
func spent(file *clusterfile.File, backup []byte) bool {
	before, err := clusterfile.Parse(file.Name(), backup)
	if err != nil {
		return false
	}
	now, then := file.Config(), before.Config()
	flag, set := now.Services.KubeController.Flag(flagName)
	was, had := then.Services.KubeController.Flag(flagName)
	return flag == was && set == had && reflect.DeepEqual(now.CloudProvider, then.CloudProvider)
}

// inForce describes what a configuration has of an editing step, or returns "" if it has
// nothing of it.
func inForce(c clusterfile.Config, step journal.StepID) string {
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

// NothingToTakeBack returns the error of an undo whose configuration still has something
// of a step while the journal holds no edit of that step: waiting would not change it.
func NothingToTakeBack(object, found string, step journal.StepID, fix string) error {
	return &fault.Error{Class: fault.Stale, Reason: "NothingToTakeBack", Object: object,
		Seen: found + ", and the journal holds no edit of " + string(step) + " that takes it back", Wanted: "an edit of awsmigrate that can be taken back",
		Fix: fix}
}
