package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// moment describes a cluster whose run was killed, and that others changed since.
type moment struct {
	n        int
	scenario scenario
	undo     bool    // the killed run was the undo of a whole migration
	stop     float64 // share of the killed run's writes that were made
	since    time.Duration
	others   []disturbance
	forward  bool // the next run migrates; otherwise it undoes
}

func newMoment(n int) moment {
	random := rand.New(rand.NewPCG(uint64(n), 17))
	m := moment{n: n, scenario: scenarios[n%natural], undo: random.IntN(4) == 0, stop: random.Float64(), forward: random.IntN(3) > 0}
	// No whole seconds: the changes by others are due then, and the order of two at once is
	// undefined.
	m.since = []time.Duration{0, 2300 * time.Millisecond, 5300 * time.Millisecond, 12300 * time.Millisecond, 30300 * time.Millisecond,
		60300 * time.Millisecond, 600300 * time.Millisecond}[random.IntN(7)]
	for _, i := range random.Perm(len(disturbances))[:random.IntN(3)] {
		m.others = append(m.others, disturbances[i])
	}
	return m
}

func (m moment) String() string {
	words := []string{fmt.Sprintf("%03d %s", m.n, m.scenario.name)}
	if m.undo {
		words = append(words, "undo")
	}
	words = append(words, fmt.Sprintf("killed after %.0f %%", 100*m.stop), m.since.String()+" later")
	for _, d := range m.others {
		words = append(words, d.name)
	}
	return strings.Join(words, ", ")
}

func (m moment) world(t *testing.T) *World {
	points := slices.DeleteFunc(slices.Clone(pointsOf(t, m.scenario, m.undo)), func(p point) bool { return !p.wrote })
	at := points[int(m.stop*float64(len(points)))].world
	at.mu.Lock()
	w := at.clone()
	at.mu.Unlock()
	w.advanceBy(m.since)
	for _, d := range m.others {
		d.change(w)
	}
	return w
}

var allPoints sync.Map // func() []point by scenario and direction

// pointsOf returns the states in which a migration, or the undo of a whole one, can be killed.
// They are computed once.
func pointsOf(t *testing.T, s scenario, undo bool) []point {
	made, _ := allPoints.LoadOrStore(fmt.Sprint(s.name, undo), sync.OnceValue(func() []point {
		w, r := s.world(), s.run
		r.ID = runID(1)
		if undo {
			if ended := do(t, r, w); ended.Err != nil {
				t.Error(ended.Err)
			}
			r.ID, r.Undo = w.nextRun(), true
		}
		ended, points := traceRun(t, r, w)
		if ended.Err != nil {
			t.Error(ended.Err)
		}
		return points
	}))
	return made.(func() []point)()
}

// A run on a cluster whose last run was killed, and that others changed since, breaks no promise.
// If it stops, its error has a class. AWSMIGRATE_SIM=all tries all 500 moments.
func TestRunFromAnyMoment(t *testing.T) {
	every := sampleStride(40)
	workers := make(chan struct{}, runtime.GOMAXPROCS(0))
	exits, mu, all := map[int]int{}, sync.Mutex{}, sync.WaitGroup{}
	for n := 0; n < 500; n += every {
		workers <- struct{}{}
		all.Go(func() {
			defer func() { <-workers }()
			m := newMoment(n)
			w, r := m.world(t), m.scenario.run
			r.ID, r.Undo = w.nextRun(), !m.forward
			ended := do(t, r, w)
			if wrong := brokenPromises(w, m.others...); len(wrong) > 0 || ended.Err != nil && fault.ClassOf(ended.Err) == fault.Unexpected {
				t.Errorf("%s: %v; %v", m, ended.Err, wrong)
			}
			mu.Lock()
			defer mu.Unlock()
			exits[view.ExitCode(ended.Err)]++
		})
	}
	all.Wait()
	if t.Logf("counts: runs by exit code: %v", exits); exits[0] == 0 || len(exits) < 2 {
		t.Errorf("runs by exit code: %v, want some that succeed and some that stop", exits)
	}
}
