package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// sizesVariable names the variable with the sizes of the fleets of BenchmarkFleet, such as "25 50".
const sizesVariable = "AWSMIGRATE_BENCH_FLEETS"

// Limits of a controller with a rollout (docs/benchmarks.md).
const (
	maxResident     = 300 << 20
	maxIdleRequests = 2.0 // of a cluster and hour
	maxRestart      = 10 * time.Second
	maxFailover     = 60 * time.Second
)

// eachSize runs a benchmark for each size of sizesVariable.
func eachSize(b *testing.B, run func(b *testing.B, n int)) {
	b.Helper()
	sizes := strings.Fields(os.Getenv(sizesVariable))
	if len(sizes) == 0 {
		b.Skipf("%s is not set", sizesVariable)
	}
	for _, text := range sizes {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				run(b, n)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkFleet migrates fleets by a rollout, five clusters at a time.
func BenchmarkFleet(b *testing.B) { eachSize(b, rollOutOver) }

// addMany adds clusters of RKE2 and RKE. Every Cluster of RKE2 has 25 KB.
func (o *office) addMany(n int) {
	o.Manifest = strings.Repeat("# a line of a user's manifest   \n", 25<<10/33)
	for i := range n {
		if i%6 == 5 {
			o.AddRKE(fmt.Sprintf("rke-%03d", i))
		} else {
			o.AddRKE2(fmt.Sprintf("rke2-%03d", i))
		}
	}
}

// outcomes returns how many clusters of a fleet of n fail, and how many do not answer.
func outcomes(n int) (failed, away int) { return n / 40, n / 60 }

func rollOutOver(b *testing.B, n int) {
	b.Helper()
	o := newOffice(b, times)
	o.addMany(n)
	o.open(b)
	o.create(b, 5, v1alpha1.Wave{Name: "canary", Clusters: []string{"rke2-000", "rke2-001"}, MaxConcurrent: 2}, v1alpha1.Wave{Name: "rest", MaxConcurrent: 5, FailuresAllowed: int64(n), Deadline: "30m", Soak: "1m"})
	requests := filepath.Join(b.TempDir(), "requests")
	p := o.start(b, podSpec{Name: "awsmigrate-0", Runs: 5, Requests: requests, Production: true})
	o.waitForPlans(b, n)
	planned := p.measure(b, requests)
	fmt.Printf("%d clusters: plans after %s\n", n, planned)
	o.measurePlan(b)
	failed, away := outcomes(n)
	members := o.Members()
	for _, m := range members[n-failed:] {
		m.SetNodeReady(4, false)
	}
	for _, m := range members[n-failed-away : n-failed] {
		m.SetAway(true)
	}
	o.must(b, "rollout", "approve", "--name", "eu", "--yes")
	speed := measureSpeed(b)
	began := time.Now()
	o.waitFor(b, "the last cluster", 2*time.Hour, func(r *v1alpha1.MigrationRollout) bool {
		return int(r.Status.Counts.Done) == n-failed-away && int(r.Status.Counts.Failed) == failed+away
	})
	done := p.measure(b, requests)
	fmt.Printf("%d clusters: %d migrated in %s; %s\n", n, n-failed-away, time.Since(began).Round(time.Second), done.since(planned))
	fmt.Printf("%d clusters: meanwhile the same work took %s of CPU\n", n, speed())
	o.waitFor(b, "the audits after the soak", time.Hour, inState(status.Succeeded))
	audits := p.measure(b, requests).since(done)
	p.measureIdle(b, requests, n, float64(audits.requests)/float64(n-failed-away))
	p.end(syscall.SIGTERM)
	if p.peak > maxResident {
		b.Errorf("peak %d MB, want at most %d", p.peak>>20, maxResident>>20)
	}
}

// measureIdle prints what a controller does for n clusters at their goal, and fails if that is more
// than it may do. The daily audit of each cluster is added.
func (p *pod) measureIdle(b *testing.B, requests string, n int, perAudit float64) {
	b.Helper()
	time.Sleep(30 * time.Second) // the last statuses
	before := p.measure(b, requests)
	time.Sleep(time.Minute)
	idle := p.measure(b, requests).since(before)
	perHour := float64(idle.requests)*60/times/float64(n) + perAudit/24
	fmt.Printf("%d clusters: %.1f requests an audit; idle for %d minutes: %s; with an audit each day %.2f requests a cluster and hour\n", n, perAudit, times, idle, perHour)
	if perHour > maxIdleRequests {
		b.Errorf("%.2f requests a cluster and hour, want at most %.1f", perHour, maxIdleRequests)
	}
}

// measurePlan prints what `rollout plan` costs.
func (o *office) measurePlan(b *testing.B) {
	b.Helper()
	began := time.Now()
	_, code, peak := o.awsmigrate(b, "rollout", "plan", "--name", "eu")
	if code != 0 {
		b.Fatalf("rollout plan: exit %d", code)
	}
	fmt.Printf("rollout plan: %s, %d MB\n", time.Since(began).Round(time.Millisecond), peak>>20)
}

// usage holds what a controller has used so far.
type usage struct {
	cpu      time.Duration
	resident int64 // at most
	requests int64 // to the management cluster
}

func (u usage) String() string {
	return fmt.Sprintf("%s of CPU, at most %d MB, %d requests", u.cpu, u.resident>>20, u.requests)
}

func (u usage) since(before usage) usage {
	return usage{u.cpu - before.cpu, u.resident, u.requests - before.requests}
}

// measure returns the usage of a running controller (proc(5)).
func (p *pod) measure(b *testing.B, requests string) usage {
	b.Helper()
	var u usage
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		u.cpu += time.Duration(ticks) * 10 * time.Millisecond
	}
	u.resident = peakOf(strconv.Itoa(p.Process.Pid))
	count, err := os.ReadFile(requests)
	if err != nil {
		b.Fatal(err)
	}
	u.requests, err = strconv.ParseInt(strings.TrimSpace(string(count)), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return u
}
