package fleet_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// BenchmarkRestart measures how long a fleet of fifty, with five clusters at work, is without a
// controller: after a clean stop, and after a kill with another replica. The leader election has
// its production timing.
func BenchmarkRestart(b *testing.B) {
	if os.Getenv(sizesVariable) == "" {
		b.Skipf("%s is not set", sizesVariable)
	}
	const n = 50
	for b.Loop() {
		o := newOffice(b, times)
		for i := range n {
			o.AddRKE2(fmt.Sprintf("rke2-%03d", i))
		}
		o.open(b)
		o.create(b, 5, v1alpha1.Wave{Name: "all", MaxConcurrent: 5})
		first := o.start(b, podSpec{Name: "awsmigrate-0", Runs: 5, Production: true})
		o.waitForPlans(b, n)
		o.must(b, "rollout", "approve", "--name", "eu", "--yes")
		atWork := func(r *v1alpha1.MigrationRollout) bool { return r.Status.Counts.Active == 5 }
		o.waitFor(b, "five at work", time.Hour, atWork)
		began := time.Now()
		first.end(syscall.SIGTERM)
		fmt.Printf("clean stop: %s\n", time.Since(began).Round(time.Second/10))
		began = time.Now()
		second := o.start(b, podSpec{Name: "awsmigrate-1", Runs: 5, Production: true})
		if _, acted := second.waitForLead(b, "restart", began); acted > maxRestart {
			b.Errorf("first action after %s, want at most %s", acted, maxRestart)
		}
		o.waitFor(b, "five at work", time.Hour, atWork)
		third := o.start(b, podSpec{Name: "awsmigrate-2", Runs: 5, Production: true})
		third.waitForLog(b, "Attempting to acquire leader lease")
		began = time.Now()
		second.end(syscall.SIGKILL)
		if leads, _ := third.waitForLead(b, "failover", began); leads > maxFailover {
			b.Errorf("the other replica decides after %s, want at most %s", leads, maxFailover)
		}
	}
}

// waitForLead waits until a controller decides, and until it continues a step. It prints and returns
// the times since began.
func (p *pod) waitForLead(b *testing.B, what string, began time.Time) (leads, acted time.Duration) {
	b.Helper()
	p.waitForLog(b, `"msg":"decides from now on"`)
	leads = time.Since(began)
	p.waitForLog(b, `"event":"step-`)
	acted = time.Since(began)
	fmt.Printf("%s: decides after %s, at work after %s\n", what, leads.Round(time.Second/10), acted.Round(time.Second/10))
	return leads, acted
}
