package fleet_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// locks counts the clusters that are at work, by the Leases of their locks.
type locks struct {
	mu   sync.Mutex
	held map[string]bool // by cluster
	most map[string]int  // at a time, by wave
	took map[string]bool // clusters that were ever at work
}

// watchLocks watches the locks until the test ends. wave returns the wave of a cluster.
func (o *office) watchLocks(t testing.TB, wave func(cluster string) string) *locks {
	t.Helper()
	l := &locks{held: map[string]bool{}, most: map[string]int{}, took: map[string]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	seen, err := o.kube.CoordinationV1().Leases(metav1.NamespaceAll).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for event := range seen.ResultChan() {
			lease, is := event.Object.(*coordinationv1.Lease)
			if !is {
				if ctx.Err() == nil {
					t.Errorf("the watch of Leases ended: %+v", event.Object)
				}
				return
			}
			if cluster, is := strings.CutPrefix(lease.Name, "awsmigrate-"); is {
				l.note(cluster, lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "", wave)
			}
		}
	}()
	t.Cleanup(func() { stop(); <-over })
	return l
}

func (l *locks) note(cluster string, held bool, wave func(string) string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[cluster] = held
	at := map[string]int{}
	for one, is := range l.held {
		if is {
			l.took[one] = true
			at[wave(one)]++
			at["all"]++
		}
	}
	for name, n := range at {
		l.most[name] = max(l.most[name], n)
	}
}

// began returns the clusters that were ever at work, sorted.
func (l *locks) began() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.took))
}

// atMost returns the most clusters at a time, by wave.
func (l *locks) atMost() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.most)
}
