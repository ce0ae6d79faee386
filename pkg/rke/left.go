package rke

import (
	"path/filepath"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// describeLeftovers reports whether a cluster.yml, after the undo of its last edit, equals the
// file from before the migration. It also lists the files next to it that can be deleted.
func describeLeftovers(record journal.Record, object, path string, text []byte) string {
	name := filepath.Base(path)
	like := " has no lines of the migration"
	switch before, known := beforeEnable(record, object); {
	case known && before == yamltext.Digest(text):
		like = " equals the file from before the migration, byte for byte"
	case known:
		like += "; other lines have changed since"
	}
	return name + like + "; next to it " + name + ".awsmigrate-*.bak, .awsmigrate-*.log and .awsmigrate.lock can be deleted"
}

// beforeEnable returns the digest of the file before the first edit of a migration. known is
// false if the journal has no such edit, or only one that was undone.
func beforeEnable(record journal.Record, object string) (digest string, known bool) {
	for _, intent := range slices.Backward(record.IntentsToUndo(migration.StepEnable, object)) {
		if receipt, err := clusterfile.ParseReceipt(intent.Inverse); err == nil {
			return receipt.Before, true
		}
	}
	return "", false
}
