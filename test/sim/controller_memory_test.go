package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// ofARun is what a run and its controller may hold at most, in bytes of heap in use.
const ofARun = 8 << 20

// live is the heap that somebody still holds, in bytes.
func live() int64 {
	runtime.GC()
	runtime.GC() // what finalizers held goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// runsAtOnce has n clusters migrated and taken back, each by a controller of its own in
// this process, and says how much more was held at most than before they began, and how
// often they asked. No other test may run meanwhile.
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

// Five runs at once hold no more than five times what one may hold. Each has a controller
// of its own here, and what the simulated clusters grow by is counted too.
func TestRunsHoldLittle(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's own memory would be measured")
	}
	const runs = 5
	most, asked := runsAtOnce(t, runs)
	t.Logf("counts: %d at once hold %d KB at most, and asked %v", runs, most>>10, asked)
	if most > runs*ofARun {
		t.Errorf("%d at once hold %d KB, wanted at most %d KB", runs, most>>10, runs*ofARun>>10)
	}
}
