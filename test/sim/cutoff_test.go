package sim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stoppedAfter returns the world of a migration that was killed right after its last write of a
// kind.
func stoppedAfter(t *testing.T, s scenario, verb, path string) *World {
	t.Helper()
	r := s.run
	r.ID = runID(1)
	_, points := traceRun(t, r, s.world())
	for i := len(points) - 1; i >= 0; i-- {
		if where := points[i].where; strings.HasPrefix(where, "after") && strings.Contains(where, verb+" ") && strings.Contains(where, path) {
			return points[i].world
		}
	}
	t.Fatalf("no call makes a %s of %s", verb, path)
	return nil
}

// Rancher needs a while for the edit of additionalManifest that removes the flag from the CCM. A
// run that resumes meanwhile, and an undo, wait for it.
func TestTakenUpWhileRancherWorksOnTheManifest(t *testing.T) {
	s := scenarios[1]
	w := s.world()
	want := withoutTraces(w.Dump())
	r := s.run
	r.ID = runID(1)
	if ended := do(t, r, w); ended.Err != nil {
		t.Fatal(ended.Err)
	}
	migrated := w.Dump()

	w = stoppedAfter(t, s, "PATCH", "/clusters/demo")
	r.ID = w.nextRun()
	if wrong := faults(w, do(t, r, w), migrated); wrong != "" {
		t.Errorf("forward: %s", wrong)
	}
	w = stoppedAfter(t, s, "PATCH", "/clusters/demo")
	undo := undoOf(s.run)
	undo.ID = w.nextRun()
	ended := do(t, undo, w)
	if ended.Err != nil || len(w.Violations()) > 0 {
		t.Errorf("back: %v, %v", ended.Err, w.Violations())
	}
	if diff := cmp.Diff(want, withoutTraces(w.Dump())); diff != "" {
		t.Errorf("the undo ends elsewhere (-before +after):\n%s", diff)
	}
}

// Other harm is reported even if Rancher never finishes.
func TestRun_rancherNeverFinishes_reportsOtherHarm(t *testing.T) {
	s := scenarios[1]
	w := stoppedAfter(t, s, "PATCH", "/clusters/demo")
	node := w.down.get("nodes", "", w.machines[4].node)
	mapAt(node, "spec")["providerID"] = "aws:///eu-west-1b/i-0other"
	w.down.put("nodes", node, w.now)
	w.pause("true")
	r := s.run
	r.ID = w.nextRun()
	if ended := do(t, r, w); ended.Err == nil || !strings.Contains(ended.Err.Error(), `ProviderID "aws:///eu-west-1b/i-0other"`) {
		t.Errorf("the error is %v", ended.Err)
	}
}
