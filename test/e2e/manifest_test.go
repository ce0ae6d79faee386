package e2e

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// TestAdditionalManifest installs through RKE2's own helm controller, whose Job obeys
// scheduling.
func TestAdditionalManifest(t *testing.T) {
	lab := boot(t, "--lease", quick)
	ctx := within(t, 15*time.Minute)
	begun := time.Now()
	evidence, err := scenario.Migration{Lab: lab, Out: testWriter{t},
		Args: append(quickRollout(t), "--install-method", "additional-manifest", "--end-state", "overrides")}.Do(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wroteAsSimulated(t, lab, begun, "rke2 by manifest")
	t.Log(evidence.Report)
}
