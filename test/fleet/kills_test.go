//go:build slow

package fleet_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// fatalCalls holds, for each fleet, the calls to the management cluster at which its first and its
// second controller are killed. A third death within an hour would make each run wait for a person.
var fatalCalls = [][2]int64{{1, 2000}, {18, 701}, {251, 4000}, {40, 1303}, {97, 90}}

// Twenty clusters are at work, and controllers are killed at a sample of their calls. Each cluster is
// migrated once, and none is left behind.
func TestFleet_killedAtCalls(t *testing.T) {
	for _, at := range fatalCalls {
		t.Run(fmt.Sprintf("%d,%d", at[0], at[1]), func(t *testing.T) {
			o := newOffice(t, times/2) // twenty at a time take both processors
			members := o.addTwenty()
			n := int64(len(members))
			o.open(t)
			o.create(t, n, v1alpha1.Wave{Name: "all", MaxConcurrent: n})
			first := o.start(t, podSpec{Name: "awsmigrate-0", Runs: len(members), Kill: at[0]})
			o.waitForPlans(t, len(members))
			o.must(t, "rollout", "approve", "--name", "eu", "--yes")
			o.waitFor(t, "all clusters at work", limit, func(r *v1alpha1.MigrationRollout) bool { return r.Status.Counts.Active == n })
			first.kill(t)
			second := o.start(t, podSpec{Name: "awsmigrate-0", Runs: len(members), Kill: at[1]})
			second.waitForLog(t, `"msg":"decides from now on"`)
			second.kill(t)
			last := o.start(t, podSpec{Name: "awsmigrate-0", Runs: len(members)})
			o.waitFor(t, "the goal", limit, func(r *v1alpha1.MigrationRollout) bool { return r.Status.Counts.Done == n })
			last.end(syscall.SIGTERM)
			for _, m := range members {
				o.requireOnce(t, m)
			}
		})
	}
}
