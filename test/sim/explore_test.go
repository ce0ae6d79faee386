package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// point is a state of the world in which a process was stopped.
type point struct {
	world *World
	where string // the call, for people
	depth int    // how many processes were stopped before
}

// explorer stops a run before each of its calls and after each of its writes,
// with the reply lost, and lets a new process take up what is left; and that one
// is stopped at each of its calls, and so on, until no state is left that was not
// taken up before.
type explorer struct {
	t     *testing.T
	run   Run // what every process runs
	every int // of the states found only each every-th is taken up; 0: all
	depth int // how often a process is stopped, at most
	want  map[string]string
	same  func(map[string]string) map[string]string // what of a dump is compared

	mu     sync.Mutex
	more   *sync.Cond
	seen   map[string]bool
	queue  []point
	busy   int
	counts counts
}

type counts struct{ calls, writes, resumes, states int }

// traced runs r on w and gives the states in which it can be stopped.
func traced(t *testing.T, r Run, w *World) (ended Ended, points []point) {
	last := int64(-1)
	note := func(c Call, when string) {
		if now := w.changes(); now != last {
			last = now
			points = append(points, point{world: w.clone(), where: fmt.Sprintf("%s call %d, %s", when, c.N, c)})
		}
	}
	r.Before = func(c Call) Outcome { note(c, "before"); return Pass }
	r.After = func(c Call) {
		if c.Writes {
			note(c, "after")
		}
	}
	synctest.Test(t, func(t *testing.T) { ended = r.On(t.Context(), w) })
	return ended, points
}

// explore begins at w.
func (e *explorer) explore(w *World) {
	e.t.Helper()
	e.seen, e.more = map[string]bool{}, sync.NewCond(&e.mu)
	if e.same == nil {
		e.same = func(d map[string]string) map[string]string { return d }
	}
	first := e.run
	first.ID = runID(1)
	ended, points := traced(e.t, first, w)
	if ended.Err != nil {
		e.t.Fatalf("the run that nothing disturbs: %v", ended.Err)
	}
	if e.want == nil {
		e.want = w.Dump()
	}
	e.judge(w, ended, "undisturbed")
	e.counts.calls, e.counts.writes = ended.Calls, ended.Writes
	e.add(points, 1)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(e.work)
	}
	workers.Wait()
}

func (e *explorer) add(points []point, depth int) {
	for _, p := range points {
		id := p.world.state()
		e.mu.Lock()
		if !e.seen[id] {
			e.seen[id] = true
			e.counts.states++
			if p.depth = depth; e.every <= 1 || e.counts.states%e.every == 0 {
				e.queue = append(e.queue, p)
			}
		}
		e.mu.Unlock()
	}
}

func (e *explorer) work() {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.more.Broadcast()
	for {
		for len(e.queue) == 0 && e.busy > 0 {
			e.more.Wait()
		}
		if len(e.queue) == 0 || e.t.Failed() {
			return
		}
		p := e.queue[0]
		e.queue = e.queue[1:]
		e.busy++
		e.mu.Unlock()
		e.resume(p)
		e.mu.Lock()
		e.busy--
		e.more.Broadcast()
	}
}

func (e *explorer) resume(p point) {
	r := e.run
	r.ID = runID(p.depth + 1)
	ended, points := traced(e.t, r, p.world)
	e.mu.Lock()
	e.counts.resumes++
	e.mu.Unlock()
	e.judge(p.world, ended, p.where)
	if p.depth < e.depth {
		for i := range points {
			points[i].where = p.where + "; then " + points[i].where
		}
		e.add(points, p.depth+1)
	}
}

func (e *explorer) judge(w *World, ended Ended, where string) {
	if ended.Err != nil {
		e.t.Errorf("stopped %s: taken up again: %v", where, ended.Err)
		return
	}
	if v := w.Violations(); len(v) > 0 {
		e.t.Errorf("stopped %s: %v", where, v)
	}
	if diff := cmp.Diff(e.same(e.want), e.same(w.Dump())); diff != "" {
		e.t.Errorf("stopped %s: the end differs (-undisturbed +taken up):\n%s", where, diff)
	}
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

func TestExplore(t *testing.T) {
	begin := time.Now()
	e := &explorer{t: t, depth: 1, every: 8}
	w := NewRKE2()
	e.explore(w)
	t.Logf("%+v %s", e.counts, time.Since(begin))
	begin = time.Now()
	back := &explorer{t: t, depth: 1, every: 8, run: Run{Undo: true}}
	back.explore(w)
	t.Logf("%+v %s", back.counts, time.Since(begin))
}
