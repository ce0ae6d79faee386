//go:build slow

package e2e

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// sharedScenario is one that only needs a lab before its migration.
type sharedScenario struct {
	name string
	run  func(ctx context.Context, t *testing.T, lab *scenario.Lab)
}

// sharedScenarios returns the scenarios that share one lab, which is reset after each. Its
// nodes have explicit names, so that `external` renames none of them.
func sharedScenarios() []sharedScenario {
	return []sharedScenario{
		{"the flag without the grant", flagWithoutGrant},
		{"external with the flag", externalWithFlag},
		{"external where it does not win", externalWhereItDoesNotWin},
		{"a CCM that the preflight sees cannot run", unfitBeforehand},
		{"a CCM whose pods do not start", failingPods},
		{"a CCM that a new taint keeps away", newTaint},
		{"a CCM whose rights are taken away", rightsTakenAway},
		{"a CCM whose pods are refused", podsRefused},
		{"an argument that crashes a component", crashingArgument},
		{"a crashing component beforehand", crashingBeforehand},
		{"a stopped worker", stoppedWorker},
	}
}

// sharedFor bounds one scenario.
const sharedFor = 10 * time.Minute

// TestShared runs the scenarios of one shard, by default all of them.
func TestShared(t *testing.T) {
	shard, err := scenario.ParseShard(os.Getenv("SHARD"))
	if err != nil {
		t.Fatal(err)
	}
	mine := scenario.Part(shard, sharedScenarios())
	if len(mine) == 0 {
		t.Logf("no scenario is in shard %d/%d", shard.Number, shard.Of)
		return
	}
	lab := boot(t, "--lease", quick, "--explicit-node-names")
	for _, s := range mine {
		began, chosen := time.Now(), false
		t.Run(s.name, func(t *testing.T) {
			chosen = true
			s.run(within(t, sharedFor), t, lab)
		})
		if !chosen {
			continue // by -run
		}
		ran := time.Now()
		if err := lab.Lab(within(t, sharedFor), "reset"); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.0f s, reset %.0f s", s.name, ran.Sub(began).Seconds(), time.Since(ran).Seconds())
	}
}
