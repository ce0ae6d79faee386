//go:build slow

package sim

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The undo leads back to where the migration began, from every state in which a
// migration can be stopped.
func TestUndoFromEveryState(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w := s.world()
			want := withoutTraces(w.Dump())
			first := s.run
			first.ID = runID(1)
			ended, points := traced(t, first, w)
			if ended.Err != nil {
				t.Fatal(ended.Err)
			}
			every, tried := sampled(4), 0
			seen := map[string]bool{}
			for i, p := range points {
				if id := p.world.state(); seen[id] {
					continue
				} else {
					seen[id] = true
				}
				if i%every != every/2 {
					continue
				}
				tried++
				r := back(s.run)
				r.ID = p.world.nextRun()
				ended := do(t, r, p.world)
				if ended.Err != nil {
					t.Errorf("stopped %s: undo: %v", p.where, ended.Err)
					continue
				}
				if wrong := append(p.world.Violations(), p.world.cordonFaults()...); len(wrong) > 0 {
					t.Errorf("stopped %s: undo: %v", p.where, wrong)
				}
				if diff := cmp.Diff(want, withoutTraces(p.world.Dump())); diff != "" {
					t.Errorf("stopped %s: the undo leads elsewhere (-before +after):\n%s", p.where, diff)
				}
			}
			t.Logf("counts: undo of %s from %d of %d distinct states", s.name, tried, len(seen))
		})
	}
}

// withoutTraces is a dump without what no undo takes back: that an etcd snapshot
// was taken, and the backups of cluster.yml.
func withoutTraces(dump map[string]string) map[string]string {
	out := maps.Clone(dump)
	maps.DeleteFunc(out, func(k, _ string) bool { return strings.HasSuffix(k, ".bak") })
	for k, v := range out {
		out[k] = strings.ReplaceAll(snapshotTaken.ReplaceAllString(v, ""), ",}", "}")
	}
	return out
}

var snapshotTaken = regexp.MustCompile(`"etcdSnapshotCreate(Phase)?":("Finished"|\{"generation":\d+\}),?`)
