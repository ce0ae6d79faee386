package rke

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// An undo that took the last edit back says whether the file is the old one, by what the
// first edit found, and what may go.
func TestLeftBeside(t *testing.T) {
	receipt := func(text string) []byte {
		encoded, err := json.Marshal(yamltext.Receipt{Before: yamltext.Digest([]byte(text)), After: yamltext.Digest([]byte("after " + text)), Changes: []yamltext.Change{yamltext.Set("true", yamltext.Quoted, flagPath...)}})
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	record := journal.Record{Intents: []journal.Intent{
		{Step: migration.StepEnable, Object: "Role x"},
		{Step: migration.StepEnable, Object: "file a/cluster.yml", Inverse: receipt("old")},
		{Step: migration.StepSwitch, Object: "file a/cluster.yml", Inverse: receipt("flagged")},
	}}
	for text, want := range map[string]string{
		"old":     "cluster.yml is what it was before the migration, to the byte; beside it cluster.yml.awsmigrate-*.bak, ",
		"flagged": "cluster.yml is without the lines of the migration; something else in it is another since; beside it ",
	} {
		if got := leftBeside(record, "file a/cluster.yml", "a/cluster.yml", []byte(text)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := leftBeside(journal.Record{}, "file a/cluster.yml", "a/cluster.yml", []byte("old")); !strings.HasPrefix(got, "cluster.yml is without the lines of the migration; beside it ") {
		t.Errorf("without a journal nobody knows: %s", got)
	}
}
