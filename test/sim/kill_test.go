package sim

import (
	"os"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// scenario is a kind of cluster and its way of migration.
type scenario struct {
	name  string
	world func() *World
	run   Run
}

const (
	// natural is the number of scenarios, at the beginning, in which the switch hands over.
	natural = 3
	// inRancher is the index of the scenario of RKE that Rancher manages.
	inRancher = 4
)

var scenarios = []scenario{
	{"rke2", NewRKE2, Run{}},
	{"rke2 by manifest", NewRKE2, Run{Method: migration.InstallManifest}},
	{"rke", NewRKE, Run{}},
	{"rke2 with an early hand-over", NewRKE2, Run{Early: true}},
	{"rke in Rancher", NewManaged, Run{}},
}

// sampleStride returns the number of states per tried one: 1 with AWSMIGRATE_SIM=all, otherwise
// fast.
func sampleStride(fast int) int {
	switch {
	case os.Getenv("AWSMIGRATE_SIM") == "all":
		return 1
	case raceDetector:
		return 4 * fast
	}
	return fast
}

func undoOf(r Run) Run {
	r.Undo = true
	return r
}

// A migration that is killed at any call and resumed ends like an undisturbed one.
func TestKilledAtEveryCall(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			e := &explorer{t: t, first: s.run, then: s.run, depth: 1, every: sampleStride(16)}
			e.explore(s.world())
			t.Logf("counts: killed in %s: %s", s.name, e.counts)
		})
	}
}

// The same holds for an undo from the very end.
func TestUndoKilledAtEveryCall(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.world()
			s.run.ID = runID(1)
			if ended := do(t, s.run, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			e := &explorer{t: t, first: undoOf(s.run), then: undoOf(s.run), depth: 1, every: sampleStride(16)}
			e.explore(w)
			t.Logf("counts: killed in the undo of %s: %s", s.name, e.counts)
		})
	}
}

// Every state that any number of kills can lead to is resumed, until no new one appears. The
// complete test is run by hand; a fast one kills twice, in a sample.
func TestKilledAgainAndAgain(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[2]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			e := &explorer{t: t, first: s.run, then: s.run, depth: 2, every: sampleStride(40)}
			e.explore(s.world())
			t.Logf("counts: killed again and again in %s: %s", s.name, e.counts)
		})
	}
}
