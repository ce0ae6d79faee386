package e2e

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// migratedIsLeftAlone runs every command on a migrated cluster. Each exits 0 with nothing to do
// and writes nothing to either API server, except access reviews and dry runs.
func migratedIsLeftAlone(t *testing.T, lab *scenario.Lab) {
	ctx := within(t, 5*time.Minute)
	since := time.Now()
	for _, args := range [][]string{
		lab.Command("", "-o", "json"), lab.Command("", "--dry-run", "-o", "json"), lab.Command("plan", "-o", "json"),
		lab.Command("status", "--exit-code", "-o", "json"), lab.Command("plan", "--detailed-exitcode", "-o", "json"),
	} {
		code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, args...)
		if err != nil || code != 0 {
			t.Errorf("%v: exit %d, %v\n%s", args, code, err, stderr)
		}
		var document struct{ APIVersion, Kind string }
		if err := json.Unmarshal([]byte(stdout), &document); err != nil || document.APIVersion != "awsmigrate.io/v1" {
			t.Errorf("%v: stdout is not one document: %v\n%s", args, err, stdout)
		}
	}
	writes, err := lab.Writes(since, "awsmigrate")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range writes {
		t.Errorf("wrote on a migrated cluster: %s", w)
	}
}
