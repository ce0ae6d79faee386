package rke

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// The receipt of the first edit shows whether the file equals the original.
func TestDescribeLeftovers(t *testing.T) {
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
		"old":     "cluster.yml equals the file from before the migration, byte for byte; next to it cluster.yml.awsmigrate-*.bak, ",
		"flagged": "cluster.yml has no lines of the migration; other lines have changed since; next to it ",
	} {
		if got := describeLeftovers(record, "file a/cluster.yml", "a/cluster.yml", []byte(text)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := describeLeftovers(journal.Record{}, "file a/cluster.yml", "a/cluster.yml", []byte("old")); !strings.HasPrefix(got, "cluster.yml has no lines of the migration; next to it ") {
		t.Errorf("without a journal: %s", got)
	}
}
