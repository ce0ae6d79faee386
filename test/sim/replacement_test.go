package sim

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// isPodDelete reports whether a call deletes a pod of the CCM.
func isPodDelete(c Call) bool {
	return c.Verb == http.MethodDelete && strings.Contains(c.Path, "/pods/"+ccmName)
}

// onPodDelete calls happens once, right after the run has deleted the nth pod of the CCM.
func onPodDelete(nth int, happens func()) func(Call) {
	deleted := 0
	return func(c Call) {
		if !isPodDelete(c) {
			return
		}
		if deleted++; deleted == nth {
			happens()
		}
	}
}

const (
	onePause  = 6 * time.Second
	expired   = 24 * time.Second
	bothLocks = 43 * time.Second
)

// The leader's pod is replaced last, and its lease is freed at the proof of its end alone.
// Whatever happens around it, two managers never run at once, and the same command ends at the
// same cluster.
func TestReplacement(t *testing.T) {
	for name, tt := range map[string]struct {
		nth     int // the deletion at which it happens; the third is the leader's
		happens func(w *World)
		most    time.Duration // maximum time without cloud controllers
	}{
		"nothing":                               {3, func(*World) {}, onePause},
		"no kubelet shows an end":               {1, func(w *World) { w.sets.silent = true }, expired},
		"the leader's end is not shown":         {3, func(w *World) { w.sets.silent = true }, expired},
		"kubelets invent ends":                  {1, func(w *World) { w.sets.invented = true }, expired},
		"the leader outlives its pod":           {3, func(w *World) { w.sets.silent, w.sets.outlives = true, 25*time.Second }, expired},
		"an invented end of a leader that runs": {3, func(w *World) { w.sets.invented, w.sets.outlives = true, 25*time.Second }, expired},
		"another process takes the main lease":  {3, func(w *World) { w.takeLease(ccmMain) }, bothLocks},
		"the DaemonSet rolls again": {1, func(w *World) {
			set := w.down.get(daemonSets, kubeSystem, ccmName)
			mapAt(set, "spec")["updateStrategy"] = object{"type": "RollingUpdate"}
			w.down.put(daemonSets, set, w.now)
		}, bothLocks},
	} {
		for _, s := range []scenario{scenarios[0], scenarios[2], scenarios[inRancher]} {
			t.Run(s.name+", "+name, func(t *testing.T) {
				t.Parallel()
				want := cleanRun(t, s).want
				w, r := s.world(), s.run
				happened := false
				seen := newGaps(w)
				r.ID, r.Sink, r.After = runID(1), seen, onPodDelete(tt.nth, func() { happened = true; tt.happens(w) })
				if wrong := faults(w, do(t, r, w), want); wrong != "" || !happened {
					t.Errorf("happened %t: %s", happened, wrong)
				}
				if gap := seen.by[migration.StepDisable]; gap > tt.most {
					t.Errorf("%s without cloud controllers", gap)
				}
			})
		}
	}
}

// takeLease makes a process that does not exist the holder of a lease.
func (w *World) takeLease(name string) {
	lease := w.down.get(leasesResource, kubeSystem, name)
	spec := mapAt(lease, "spec")
	spec["holderIdentity"], spec["leaseTransitions"] = "other_1", number(spec, "leaseTransitions")+1
	w.down.put(leasesResource, lease, w.now)
}

// An undo replaces the pods in the same order, and pauses the cloud controllers once.
func TestReplacement_undo(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[2], scenarios[inRancher]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w, r := s.world(), s.run
			r.ID = runID(1)
			if ended := do(t, r, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			deleted, seen := 0, newGaps(w)
			r.ID, r.Undo, r.Sink, r.Until = runID(2), true, seen, migration.StepUndoDisable
			r.After = func(c Call) {
				if isPodDelete(c) {
					deleted++
				}
			}
			ended := do(t, r, w)
			if wrong := w.Violations(); ended.Err != nil || len(wrong) > 0 || deleted != 3 {
				t.Errorf("%d pods replaced, %v, %v", deleted, ended.Err, wrong)
			}
			if gap := seen.by[migration.StepUndoDisable]; gap > onePause {
				t.Errorf("%s without cloud controllers", gap)
			}
			if text(w.down.peek(daemonSets, kubeSystem, ccmName), "spec", "updateStrategy", "type") == "OnDelete" {
				t.Error("the DaemonSet replaces no pod any longer")
			}
		})
	}
}

// A DaemonSet that a user has set to OnDelete is taken over, and set back at the end.
func TestReplacement_onDeleteByHand_setBack(t *testing.T) {
	want := cleanRun(t, scenarios[0]).want
	w := NewRKE2()
	if ended := do(t, Run{ID: runID(1), Until: migration.StepVerify}, w); ended.Err != nil {
		t.Fatal(ended.Err)
	}
	set := w.down.get(daemonSets, kubeSystem, ccmName)
	mapAt(set, "spec")["updateStrategy"] = object{"type": "OnDelete"}
	w.down.put(daemonSets, set, w.now)
	deleted := 0
	ended := do(t, Run{ID: runID(2), After: func(c Call) {
		if isPodDelete(c) {
			deleted++
		}
	}}, w)
	if wrong := faults(w, ended, want); wrong != "" || deleted != 3 {
		t.Errorf("%d pods replaced: %s", deleted, wrong)
	}
}

// A run that is killed while the DaemonSet leaves its pods alone is continued by the same command.
func TestReplacement_killed_continues(t *testing.T) {
	for nth := 1; nth <= 3; nth++ {
		w, want := NewRKE2(), cleanRun(t, scenarios[0]).want
		first := Run{ID: runID(1)}
		deleted := 0
		first.Before = func(c Call) Outcome {
			if isPodDelete(c) {
				if deleted++; deleted == nth {
					return Kill
				}
			}
			return Pass
		}
		do(t, first, w)
		if text(w.down.peek(daemonSets, kubeSystem, ccmName), "spec", "updateStrategy", "type") != "OnDelete" {
			t.Fatalf("killed at the deletion of pod %d: the DaemonSet rolls", nth)
		}
		if wrong := faults(w, do(t, Run{ID: runID(2)}, w), want); wrong != "" {
			t.Errorf("killed at the deletion of pod %d: %s", nth, wrong)
		}
	}
}
