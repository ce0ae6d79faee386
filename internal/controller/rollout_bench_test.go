package controller

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// Limits of a controller with a rollout (docs/benchmarks.md).
const (
	peakOfRollout = 300 << 20 // resident
	idleRequests  = 2.0       // of a cluster and hour, to the management cluster
)

// counted counts the requests of a client.
type counted struct {
	http.RoundTripper
	requests *atomic.Int64
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

// cpu returns the CPU time of this process.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// succeeds waits until the rollout is over. A cluster begins about every second.
func (f *fleetTest) succeeds(b *testing.B) {
	b.Helper()
	for end := time.Now().Add(20 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
		r, err := f.rollouts.Get(f.namespace, "eu", metav1.GetOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if status.StateOf(r.Status.Display.State) == status.Succeeded {
			return
		}
	}
	b.Fatal("the rollout does not end")
}

// BenchmarkRollout migrates fleets in three waves on a real API server, with Clusters of 25 KB. The
// engine is a fake without work (see world), so CPU time and requests are those of deciding alone.
func BenchmarkRollout(b *testing.B) {
	m, rollouts := serveRollouts(b)
	used := map[int]time.Duration{}
	for b.Loop() {
		for _, n := range []int{25, 100, 200} {
			f := &fleetTest{installation: m.fleetOfSize(b, n, v1alpha1.ClusterMigrationSpec{}), worlds: &worlds{}, rollouts: rollouts}
			var requests atomic.Int64
			f.config = rest.CopyConfig(f.config)
			f.config.Wrap(func(of http.RoundTripper) http.RoundTripper { return counted{of, &requests} })
			f.management = &management{config: f.config, kube: m.kube, plain: m.plain, objects: m.objects}
			before, began := cpu(b), time.Now()
			stop := f.serves(b, realistic(f.worlds.engine()))
			f.roll(b, v1alpha1.MigrationRolloutSpec{MaxConcurrent: 5, Waves: []v1alpha1.Wave{
				{Name: "canary", Clusters: []string{"cluster-000", "cluster-001"}}, {Name: "five", Clusters: []string{"cluster-002", "cluster-003", "cluster-004"}, MaxConcurrent: 5}, {Name: "rest", MaxConcurrent: 5}}})
			f.approveAll(b)
			f.succeeds(b)
			used[n] = cpu(b) - before
			fmt.Printf("%d clusters in %s: %s of CPU, %d requests, at most %d at a time\n", n, time.Since(began).Round(time.Second), used[n].Round(time.Millisecond), requests.Load(), f.worlds.most)
			time.Sleep(10 * time.Second) // last statuses
			before, busy := cpu(b), requests.Load()
			time.Sleep(time.Minute)
			idle := float64(requests.Load()-busy) * 60 / float64(n)
			fmt.Printf("%d clusters idle: %.1f requests a cluster and hour, %s of CPU in a minute\n", n, idle, (cpu(b) - before).Round(time.Millisecond))
			if idle > idleRequests {
				b.Errorf("%d clusters idle: %.1f requests a cluster and hour, want at most %.1f", n, idle, idleRequests)
			}
			stop()
		}
	}
	first, then := (used[100]-used[25])/75, (used[200]-used[100])/100
	fmt.Printf("a cluster more takes %s of CPU from 25 to 100, %s from 100 to 200; peak %d MB\n", first.Round(time.Millisecond), then.Round(time.Millisecond), peakResident()>>20)
	peak := peakResident()
	if peak > peakOfRollout {
		b.Errorf("peak %d MB, want at most %d", peak>>20, peakOfRollout>>20)
	}
	b.ReportMetric(float64(then.Milliseconds()), "ms-CPU/cluster")
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
	b.ReportMetric(0, "ns/op")
}
