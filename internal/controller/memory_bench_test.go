package controller

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Memory limits of a controller.
const (
	perIdleCluster = 300 << 10 // heap in use
	ofGiantAudit   = 512 << 20 // heap in use at most, for 50,000 nodes, beyond that before
)

func heap() uint64 {
	runtime.GC()
	runtime.GC() // what finalizers held goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// peakResident returns the peak resident memory of this process in bytes, or 0 if the kernel does
// not report it.
func peakResident() uint64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if after, is := strings.CutPrefix(line, "VmHWM:"); is {
			kb, _ := strconv.ParseUint(strings.Fields(after)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// realistic makes an Assessment as large as that of a migrated and undone cluster: changes with a
// diff, intents with inverses.
func realistic(e Engine) Engine {
	assess := e.Assess
	e.Assess = func(ctx context.Context, c session.Connector, o session.Options) (session.Assessment, error) {
		a, err := assess(ctx, c, o)
		for i := range a.Plan.Steps {
			a.Plan.Steps[i].Changes[0].Diff = strings.Repeat("+ line of a document\n", 100)
		}
		for i := range 30 {
			a.Journal.Intents = append(a.Journal.Intents, journal.Intent{Step: forward[i%len(forward)], What: strings.Repeat("x", 100), Object: strings.Repeat("o", 60)})
		}
		return a, err
	}
	return e
}

// fleetOfSize returns a namespace with n Clusters of about 25 KB, each with an object.
func (m *management) fleetOfSize(b *testing.B, n int, spec v1alpha1.ClusterMigrationSpec) *installation {
	b.Helper()
	i := &installation{management: m, namespace: fmt.Sprintf("fleet-%d-%s", n, strings.ToLower(string(spec.Goal.OrDefault()))), world: newWorld()}
	if _, err := m.kube.CoreV1().Namespaces().Create(b.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: i.namespace}}, metav1.CreateOptions{}); err != nil {
		b.Fatal(err)
	}
	manifest := `{"spec":{"rkeConfig":{"additionalManifest":"` + strings.Repeat("# a line of a user's manifest   ", 800) + `"}}}`
	for j := range n {
		name := fmt.Sprintf("cluster-%03d", j)
		i.cluster(b, name, "external")
		if _, err := i.plain.Resource(provisioningClusters).Namespace(i.namespace).Patch(b.Context(), name, types.MergePatchType, []byte(manifest), metav1.PatchOptions{}); err != nil {
			b.Fatal(err)
		}
		i.createOf(b, name, spec)
	}
	return i
}

// serves runs a controller until stop is called.
func (i *installation) serves(b *testing.B, e Engine) (stop func()) {
	b.Helper()
	c, err := New(Options{Config: i.config, Namespaces: []string{i.namespace}, Version: "v1", Engine: e, Actor: session.Actor{User: "controller", Host: "pod-0"}, Election: Election{Off: true}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	over := make(chan error, 1)
	go func() { over <- c.Run(ctx) }()
	return func() {
		b.Helper()
		cancel()
		if err := <-over; err != nil {
			b.Error(err)
		}
	}
}

// all waits until the given number of objects show a state.
func (i *installation) all(b *testing.B, n int, state string) {
	b.Helper()
	for range 5 { // of a minute each
		shown := 0
		deadline := time.Now().Add(50 * time.Second)
		apiserver.Eventually(b, func() bool {
			list, err := i.plain.Resource(v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")).Namespace(i.namespace).List(b.Context(), metav1.ListOptions{})
			if err != nil {
				b.Fatal(err)
			}
			shown = 0
			for _, one := range list.Items {
				if is, _, _ := unstructured.NestedString(one.Object, "status", "display", "state"); is == state {
					shown++
				}
			}
			return shown >= n || time.Now().After(deadline)
		})
		if shown >= n {
			return
		}
	}
	b.Fatalf("not %d objects show %s", n, state)
}

// BenchmarkIdleClusters measures the memory for clusters without work: informers, queues and
// looks, on a real API server.
func BenchmarkIdleClusters(b *testing.B) {
	m, kept := serve(b), map[int]uint64{}
	sizes := []int{25, 100, 200}
	for b.Loop() {
		for _, n := range sizes {
			i := m.fleetOfSize(b, n, v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalUndo, Edits: v1alpha1.EditsApply})
			before := heap()
			stop := i.serves(b, realistic(i.world.engine()))
			i.all(b, n, "Succeeded")
			kept[n] = heap() - min(before, heap())
			fmt.Printf("%d idle clusters: %d KB in use above the use before the controller\n", n, kept[n]>>10)
			stop()
		}
	}
	slope := (int64(kept[200]) - int64(kept[25])) / 175
	if slope > perIdleCluster {
		b.Errorf("a cluster more costs %d KB, want at most %d", slope>>10, perIdleCluster>>10)
	}
	b.ReportMetric(float64(slope)/1024, "KB/cluster")
	b.ReportMetric(float64(peakResident())/(1<<20), "peak-MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkGiantAudit measures the audit of 50,000 nodes in a controller with other clusters.
func BenchmarkGiantAudit(b *testing.B) {
	const count = 50000
	m := serve(b)
	for b.Loop() {
		i := m.fleetOfSize(b, 25, v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalUndo, Edits: v1alpha1.EditsApply})
		i.cluster(b, "giant", "external")
		var most atomic.Uint64
		large := newGiant(b, count, func() { most.Store(max(most.Load(), heap())) })
		i.createOf(b, "giant", v1alpha1.ClusterMigrationSpec{Options: v1alpha1.Options{AWS: v1alpha1.AWS{Mode: v1alpha1.AWSDisabled}}})
		engines := map[string]Engine{"giant": large.engine()}
		for j := range 25 {
			engines[fmt.Sprintf("cluster-%03d", j)] = realistic(i.world.engine())
		}
		before := heap()
		stop := i.serves(b, manyEngines(engines))
		i.all(b, 25, "Succeeded")
		i.all(b, 1, "Findings")
		stop()
		grown := int64(most.Load()) - int64(before)
		fmt.Printf("%d nodes in %d pages: %d MB more in use at most\n", count, large.nodes.Pages(), grown>>20)
		if grown > ofGiantAudit {
			b.Errorf("%d MB more in use, want at most %d", grown>>20, ofGiantAudit>>20)
		}
		b.ReportMetric(float64(grown)/(1<<20), "MB-in-use")
	}
	b.ReportMetric(float64(peakResident())/(1<<20), "peak-MB")
	b.ReportMetric(0, "ns/op")
}
