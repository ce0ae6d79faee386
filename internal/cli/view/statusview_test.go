package view

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// A step of a run that works has one line; a program gets all that it said.
func TestWriteStatus_severalLinesSaid_firstPrinted(t *testing.T) {
	run := &runner.Account{Life: runner.LifeWorks}
	run.Steps = []runner.AccountStep{{ID: "preflight", State: runner.Done, Said: []string{"76 ok, 1 skipped", "–  AWSM-309  no fingerprint"}}}
	doc := StatusDocument{}.WithRun(run, Commands{})
	var out bytes.Buffer
	WriteStatus(console.Streams{Out: &out}, doc, time.Now())
	if got := out.String(); !strings.Contains(got, "76 ok, 1 skipped\n") || strings.Contains(got, "AWSM-309") || doc.Steps[0].Reason != "76 ok, 1 skipped; –  AWSM-309  no fingerprint" {
		t.Errorf("%s%+v", got, doc.Steps)
	}
}
