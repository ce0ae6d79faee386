package sim

import (
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The undo returns to the original state from every state in which a migration can be stopped.
func TestUndoFromEveryState(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.world()
			want := withoutTraces(w.Dump())
			first := s.run
			first.ID = runID(1)
			ended, points := traceRun(t, first, w)
			if ended.Err != nil {
				t.Fatal(ended.Err)
			}
			every, tried := sampleStride(4), 0
			seen := map[string]bool{}
			for i, p := range points {
				id := p.world.state()
				if seen[id] {
					continue
				}
				seen[id] = true
				if i%every != every/2 {
					continue
				}
				tried++
				r := undoOf(s.run)
				r.ID = p.world.nextRun()
				ended := do(t, r, p.world)
				if ended.Err != nil {
					t.Errorf("stopped %s: undo: %v", p.where, ended.Err)
					continue
				}
				if wrong := append(p.world.Violations(), p.world.cordonFaults()...); len(wrong) > 0 {
					t.Errorf("stopped %s: undo: %v", p.where, wrong)
				}
				p.world.advanceBy(time.Minute)
				if diff := cmp.Diff(want, withoutTraces(p.world.Dump())); diff != "" {
					t.Errorf("stopped %s: the undo ends elsewhere (-before +after):\n%s", p.where, diff)
				}
			}
			if tried == 0 {
				t.Error("no state was tried")
			}
			t.Logf("counts: undo of %s from %d of %d distinct states", s.name, tried, len(seen))
		})
	}
}

// The same holds for an undo of an interrupted installation whose pods never took a lease, even if
// the undo is killed.
func TestUndoOfACutOffInstallKilledAtEveryCall(t *testing.T) {
	s := scenarios[0]
	w := stoppedAfter(t, s, "POST", "/daemonsets")
	e := &explorer{t: t, first: undoOf(s.run), then: undoOf(s.run), depth: 1, every: 1}
	e.explore(w)
	t.Logf("counts: killed in the undo of an interrupted installation: %s", e.counts)
}

// advanceBy lets time pass without actions; a snapshot may still be made.
func (w *World) advanceBy(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(w.now.Add(d))
}

// withoutTraces returns a dump without the traces that no undo removes: the request of an etcd
// snapshot, the backups of cluster.yml, its temporary file, which the next write removes, and the
// Secrets with parts of Rancher's Cluster.
func withoutTraces(dump map[string]string) map[string]string {
	out := maps.Clone(dump)
	maps.DeleteFunc(out, func(k, _ string) bool {
		return strings.HasSuffix(k, ".bak") || strings.HasSuffix(k, ".tmp") || strings.HasPrefix(k, keptValues)
	})
	for k, v := range out {
		out[k] = withoutSnapshot(v)
	}
	return out
}

// keptValues is the prefix of the Secrets in a dump that store removed values of an edit.
const keptValues = "management secrets " + managedID + "/awsmigrate-" + managedID + "-"

func withoutSnapshot(s string) string {
	return strings.ReplaceAll(snapshotTaken.ReplaceAllString(s, ""), ",}", "}")
}

var snapshotTaken = regexp.MustCompile(`"etcdSnapshotCreate(Phase)?":("Finished"|\{"generation":\d+\}),?`)

// config returns the text that an undo restores byte for byte: cluster.yml, or the spec of
// Rancher's Cluster.
func (w *World) config() string {
	switch {
	case w.rke != nil:
		return w.rke.disk[clusterFile].text
	case w.managed != nil:
		return string(must(json.Marshal(at(w.mgmt.peek(managedClusters, "", managedID), "spec"))))
	}
	return withoutSnapshot(string(must(json.Marshal(at(w.mgmt.peek(provClusters, fleet, clusterName), "spec")))))
}
