package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/test/trace"
)

// oracleFile holds a line for each moment: how it comes about, and digests of what was
// said before a run, of what the run did, and of what was said after it. `-run TestOracle -update` records it anew.
const oracleFile = "testdata/oracle.txt"

// oracleDump names a folder for the whole texts behind the digests: made once before
// a change and once after it, the two are compared with diff -r.
const oracleDump = "AWSMIGRATE_ORACLE"

const moments = 500

// A change that only moves code leaves all of this as it was, in clusters at rest,
// half migrated, half taken back, and changed by others: the position, every step's
// state and plan, every check's verdict and advice, what would stop a run, what a
// run then writes, and how it ends.
func TestOracle(t *testing.T) {
	every := sampled(20)
	if *update || os.Getenv(oracleDump) != "" {
		every = 1
	}
	lines := make([]string, moments)
	workers := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for n := 0; n < moments; n += every {
		workers <- struct{}{}
		all.Go(func() {
			defer func() { <-workers }()
			lines[n] = newMoment(n).record(t)
		})
	}
	all.Wait()
	if *update {
		if err := os.WriteFile(oracleFile, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(oracleFile)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(want) != moments {
		t.Fatalf("%s has %d lines, want %d", oracleFile, len(want), moments)
	}
	for n, line := range lines {
		if line != "" && line != want[n] {
			t.Errorf("recorded %s\nnow      %s", want[n], line)
		}
	}
	if t.Failed() {
		t.Logf("for the texts, before the change and after it: cd test; %s=FOLDER go test ./sim -run TestOracle", oracleDump)
	}
}

// moment is a cluster in the state in which somebody looks at it: a run on it was
// killed somewhere, and others changed it since.
type moment struct {
	n        int
	scenario scenario
	undo     bool    // the run that was killed took a whole migration back
	stop     float64 // how far it came, in parts of all its writes: what it reads may change
	since    time.Duration
	others   []disturbance
	forward  bool // what is run then is no undo
}

func newMoment(n int) moment {
	random := rand.New(rand.NewPCG(uint64(n), 17))
	m := moment{n: n, scenario: scenarios[n%natural], undo: random.IntN(4) == 0, stop: random.Float64(), forward: random.IntN(3) > 0}
	// No whole seconds: what others do is due then, and which of the two comes first is luck.
	m.since = []time.Duration{0, 2300 * time.Millisecond, 5300 * time.Millisecond, 12300 * time.Millisecond, 30300 * time.Millisecond,
		60300 * time.Millisecond, 600300 * time.Millisecond}[random.IntN(7)]
	for _, i := range random.Perm(len(disturbances))[:random.IntN(3)] {
		m.others = append(m.others, disturbances[i])
	}
	return m
}

// String says how the moment comes about.
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

// record looks at the moment, and then runs on from it.
func (m moment) record(t *testing.T) string {
	w := m.world(t)
	before := m.look(t, w)
	run := m.run(t, w)
	after := m.look(t, w)
	line := m.String() + " |"
	for name, text := range map[string]string{"before": before, "run": run, "after": after} {
		m.dump(t, name, text)
	}
	for _, text := range []string{before, run, after} {
		line += fmt.Sprintf(" %x", sha256.Sum256([]byte(text)))[:11]
	}
	return line
}

// dump keeps a text for people.
func (m moment) dump(t *testing.T, name, text string) {
	folder := os.Getenv(oracleDump)
	if folder == "" {
		return
	}
	file := filepath.Join(folder, fmt.Sprintf("%03d-%s.txt", m.n, name))
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(file, []byte(m.String()+"\n"+text), 0o600)); err != nil {
		t.Error(err)
	}
}

func (m moment) world(t *testing.T) *World {
	points := slices.DeleteFunc(slices.Clone(pointsOf(t, m.scenario, m.undo)), func(p point) bool { return !p.wrote })
	at := points[int(m.stop*float64(len(points)))].world
	at.mu.Lock()
	w := at.clone()
	at.mu.Unlock()
	w.later(m.since)
	for _, d := range m.others {
		d.change(w)
	}
	return w
}

var allPoints sync.Map // by scenario and direction, a func() []point

// pointsOf are the states in which a migration, or the undo of a whole one, can be
// killed. They are found once.
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
		ended, points := traced(t, r, w)
		if ended.Err != nil {
			t.Error(ended.Err)
		}
		return points
	}))
	return made.(func() []point)()
}

// run takes up what there is, or takes it back.
func (m moment) run(t *testing.T, w *World) string {
	var writes []trace.Write
	var files []string
	r := m.scenario.run
	r.ID, r.Undo = w.nextRun(), !m.forward
	r.After = func(c Call) {
		switch {
		case !c.Writes:
		case c.Server == "file":
			files = append(files, c.Verb+" "+c.Path)
		default:
			writes = append(writes, trace.Write{Server: c.Server, Verb: c.Verb, Path: c.Path})
		}
	}
	ended := do(t, r, w)
	return fmt.Sprintf("undo %t: %s\n%s\n", r.Undo, ending(ended.Err), strings.Join(slices.Concat(w.Violations(), trace.Lines(writes), files), "\n"))
}

// look is what plan, status and verify say, as JSON.
func (m moment) look(t *testing.T, w *World) string {
	var said bytes.Buffer
	say := func(what string, value any, err error) {
		text, bad := json.MarshalIndent(value, "", " ")
		fmt.Fprintf(&said, "%s: %s\n%s\n", what, ending(errors.Join(err, bad)), text)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		mine := w.clone()
		pass(max(0, time.Until(mine.Now())))
		r := m.scenario.run
		r.ID, r.Clock = "look", clock.RealClock{}
		procedure, home, err := r.open(ctx, mine, &Process{world: mine, die: cancel})
		if err != nil {
			say("open", nil, err)
			return
		}
		target := procedure.Target()
		journal := journal.NewConfigMap(home, target.Namespace, journal.Name(target.Name), target)
		state, err := journal.Load(ctx)
		say("journal", nil, err)
		seen := looker(procedure)
		if inspection, err := gather(ctx, seen, state.Record()); err != nil {
			say("verify", nil, err)
		} else {
			say("verify", verify.RunAll(ctx, inspection.Bound(), verify.Options{Position: inspection.Input.Position.Position}), nil)
		}
		observation, steps, foreseen, err, foreseeErr := plan(ctx, seen, journal)
		say("status", observation, err)
		say("plan", steps, err)
		err = foreseeErr
		say("what would stop a run", ending(foreseen.Stops), err)
	})
	return said.String()
}

// ending is an error as an exit code and a document show it.
func ending(err error) string {
	if err == nil {
		return "ok"
	}
	f, _ := fault.As(err)
	if f == nil {
		return "unexpected: " + err.Error()
	}
	return fmt.Sprintf("class %d, %s: %v", f.Class, f.Reason, err)
}
