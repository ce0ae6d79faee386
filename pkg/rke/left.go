package rke

import (
	"path/filepath"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// leftBeside says, once the last edit of a cluster.yml is taken back, whether the file is
// the one from before the migration, and which of the files beside it nobody needs any more.
func leftBeside(record journal.Record, object, path string, text []byte) string {
	name := filepath.Base(path)
	like := " is without the lines of the migration"
	switch before, known := beforeEnable(record, object); {
	case known && before == yamltext.Digest(text):
		like = " is what it was before the migration, to the byte"
	case known:
		like += "; something else in it is another since"
	}
	return name + like + "; beside it " + name + ".awsmigrate-*.bak, .awsmigrate-*.log and .awsmigrate.lock may go"
}

// beforeEnable returns the digest of the text that the first edit of a migration found;
// false if the journal has no such edit that is not taken back.
func beforeEnable(record journal.Record, object string) (digest string, known bool) {
	for _, intent := range slices.Backward(record.ToTakeBack(migration.StepEnable, object)) {
		if receipt, err := clusterfile.ParseReceipt(intent.Inverse); err == nil {
			return receipt.Before, true
		}
	}
	return "", false
}
