package sim

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(1600) // thousands of short runs with a small heap
	debug.SetMemoryLimit(1 << 30)
	m.Run()
}

// point is a state of the world in which a process was stopped.
type point struct {
	world *World
	where string // the call, for people
	wrote bool   // the call was a write and got its reply
	depth int    // number of earlier stops
}

// explorer stops a run before each of its calls, and after each of its writes with the reply lost.
// A new process then resumes. With a depth above one, that process is stopped in the same way, and
// so on, until each state was resumed. Two calls without an event between them give the same
// state, which is tried once.
type explorer struct {
	t     *testing.T
	first Run // the run that is stopped
	then  Run // the run that resumes
	every int // resume only each every-th of the states; 0 means all
	depth int // maximum number of stops
	want  map[string]string

	mu     sync.Mutex
	more   *sync.Cond
	seen   map[string]bool
	queue  []point
	busy   int
	failed bool
	counts counts
}

type counts struct{ calls, writes, states, resumes int }

func (c counts) String() string {
	return fmt.Sprintf("%d calls, %d of them writes, give %d distinct states; %d were resumed", c.calls, c.writes, c.states, c.resumes)
}

// traceRun runs r on w and returns the states in which it can be stopped.
func traceRun(t *testing.T, r Run, w *World) (ended Ended, points []point) {
	last := int64(-1)
	note := func(c Call, when string) {
		if now := w.changes(); now != last {
			last = now
			points = append(points, point{world: w.clone(), where: fmt.Sprintf("%s call %d, %s", when, c.N, c), wrote: when == "after"})
		}
	}
	r.Before = func(c Call) Outcome { note(c, "before"); return Pass }
	r.After = func(c Call) {
		if c.Writes {
			note(c, "after")
		}
	}
	return do(t, r, w), points
}

// do runs r on w in a separate bubble.
func do(t *testing.T, r Run, w *World) (ended Ended) {
	synctest.Test(t, func(t *testing.T) { ended = r.On(t.Context(), w) })
	return ended
}

// explore begins at w.
func (e *explorer) explore(w *World) {
	e.t.Helper()
	e.seen, e.more = map[string]bool{}, sync.NewCond(&e.mu)
	e.first.ID = w.nextRun()
	ended, points := traceRun(e.t, e.first, w)
	if ended.Err != nil {
		e.t.Fatalf("the undisturbed run: %v", ended.Err)
	}
	if e.want == nil {
		e.want = w.Dump()
		e.judge(w, ended, "nowhere")
	}
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
		if len(e.queue) == 0 || e.failed {
			return
		}
		p := e.queue[0]
		e.queue[0] = point{}
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
	r := e.then
	r.ID = p.world.nextRun()
	ended, points := traceRun(e.t, r, p.world)
	e.judge(p.world, ended, p.where)
	e.mu.Lock()
	e.counts.resumes++
	e.mu.Unlock()
	if p.depth < e.depth {
		for i := range points {
			points[i].where = p.where + "; then " + points[i].where
		}
		e.add(points, p.depth+1)
	}
}

func (e *explorer) judge(w *World, ended Ended, where string) {
	wrong := faults(w, ended, e.want)
	if wrong == "" {
		return
	}
	e.mu.Lock()
	e.failed = true
	e.mu.Unlock()
	e.t.Errorf("stopped %s: %s", where, wrong)
}

// faults describes the faults at the end of a run, or returns an empty string.
func faults(w *World, ended Ended, want map[string]string) string {
	var wrong []string
	if ended.Err != nil {
		wrong = append(wrong, "resumed: "+ended.Err.Error())
	}
	wrong = append(wrong, w.Violations()...)
	if ended.Err == nil {
		if diff := cmp.Diff(want, w.Dump()); diff != "" {
			wrong = append(wrong, "the end differs (-wanted +is):\n"+diff)
		}
	}
	if ended.Err == nil {
		wrong = append(wrong, w.cordonFaults()...)
	}
	return strings.Join(append(wrong, journalFaults(w)...), "\n")
}

// cordonFaults compares the cordons with the original ones.
func (w *World) cordonFaults() []string {
	var wrong []string
	for name, was := range w.monitor.cordons {
		if is := at(w.down.peek("nodes", "", name), "spec", "unschedulable") == true; is != was {
			wrong = append(wrong, fmt.Sprintf("S8: Node %s: cordoned %t, was %t", name, is, was))
		}
	}
	return wrong
}

// nextRun returns the next run ID by the journal.
func (w *World) nextRun() string { return runID(len(list(w.journalObject(), "runs")) + 1) }

func (w *World) journalObject() object {
	if raw := w.Journal(); raw != "" {
		return decoded([]byte(raw)).(object)
	}
	return object{}
}

// journalFaults checks that every run except the last is closed, and that the history has the run
// of each intent. A run without work writes nothing, and leaves a dead one as it is.
func journalFaults(w *World) []string {
	var wrong []string
	known := map[any]bool{}
	runs := list(w.journalObject(), "runs")
	for i, one := range runs {
		run := one.(object)
		known[run["id"]] = true
		if run["outcome"] == nil && i < len(runs)-1 {
			wrong = append(wrong, fmt.Sprintf("journal: run %v is left open", run["id"]))
		}
	}
	for _, one := range list(w.journalObject(), "intents") {
		if intent := one.(object); !known[intent["run"]] {
			wrong = append(wrong, fmt.Sprintf("journal: intent of run %v, which is not in the history", intent["run"]))
		}
	}
	return wrong
}
