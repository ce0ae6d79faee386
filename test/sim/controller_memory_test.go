package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// maxRunHeap is the maximum heap of a run and its controller, in bytes in use.
const maxRunHeap = 8 << 20

// live returns the reachable heap, in bytes.
func live() int64 {
	runtime.GC()
	runtime.GC() // the second collection frees memory that finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// runsAtOnce migrates n clusters and undoes the migrations, each by a separate controller in this
// process. It returns the maximum growth of the heap and the number of requests. No other test may
// run at the same time.
func runsAtOnce(t *testing.T, n int) (most int64, asked counted) {
	t.Helper()
	asked = counted{}
	worlds := make([]*World, n)
	for i := range worlds {
		worlds[i] = controlled(t)
	}
	before, calls := live(), atomic.Int64{}
	var mu sync.Mutex
	t.Run("at once", func(t *testing.T) {
		for _, w := range worlds {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				o := pod{Before: func(c Call) Outcome {
					mu.Lock()
					defer mu.Unlock()
					asked.note(c)
					if calls.Add(1)%100 == 0 {
						most = max(most, live()-before)
					}
					return Pass
				}}
				for _, goal := range []string{"Migrate", "Undo"} {
					if !carry(t, o, w, goal) {
						t.Errorf("goal %s was not reached", goal)
					}
				}
			})
		}
	})
	runtime.KeepAlive(worlds)
	return most, asked
}

// Five runs at once hold at most five times the memory of one. Each has a separate controller, and
// the growth of the simulated clusters counts as well.
func TestRunsHoldLittle(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's own memory would be measured")
	}
	const runs = 5
	most, asked := runsAtOnce(t, runs)
	t.Logf("counts: %d at once hold %d KB at most, and asked %v", runs, most>>10, asked)
	if most > runs*maxRunHeap {
		t.Errorf("%d at once hold %d KB, wanted at most %d KB", runs, most>>10, runs*maxRunHeap>>10)
	}
}
