package sim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Rancher is restored from a backup that is older than the migration, with the Cluster object, the
// journal, or both. Nothing is written in either direction, and the message names the restore.
func TestRancherRestoredOverAMigratedCluster(t *testing.T) {
	name := journal.Name(clusterName)
	for what, tt := range map[string]struct {
		cluster, journal bool
	}{"Cluster": {cluster: true}, "journal": {journal: true}, "both": {true, true}} {
		for _, undo := range []bool{false, true} {
			t.Run(what+map[bool]string{false: ", forward", true: ", back"}[undo], func(t *testing.T) {
				t.Parallel()
				w := NewRKE2()
				old := w.mgmt.get(provClusters, fleet, clusterName)["spec"]
				finish(t, w, Run{})
				if tt.cluster {
					cluster := w.mgmt.get(provClusters, fleet, clusterName)
					cluster["spec"] = old
					w.mgmt.put(provClusters, cluster, w.now)
				}
				if tt.journal {
					w.mgmt.remove(key{configMaps, fleet, name})
				}
				// Rancher continues meanwhile, but a run leaves no writes.
				r := Run{ID: w.nextRun(), Undo: undo}
				r.Before = func(c Call) Outcome {
					if c.Writes && !strings.Contains(c.Path, "/leases/") && !strings.Contains(c.Path, "/configmaps/"+name) {
						t.Errorf("%s %s", c.Verb, c.Path)
					}
					return Pass
				}
				before := w.Dump()
				ended := do(t, r, w)
				if !tt.cluster && !undo { // nothing to do, and no request
					if ended.Err != nil || ended.Writes != 0 {
						t.Errorf("%d writes, %v", ended.Writes, ended.Err)
					}
					if d := cmp.Diff(before, w.Dump()); d != "" {
						t.Error(d)
					}
					return
				}
				if ended.Err == nil || !strings.Contains(ended.Err.Error(), "restore") || tt.journal && ended.Writes != 0 {
					t.Errorf("%d writes, %v", ended.Writes, ended.Err)
				}
			})
		}
	}
}
