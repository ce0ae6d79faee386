package sim

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

const configMaps = "configmaps"

// An approval is valid for one migration of one cluster, once. Each case applies a used approval,
// or one for something else. Nothing is written, and the reason is reported.
func TestReplayedApprovals(t *testing.T) {
	name := journal.Name(clusterName)
	for what, tt := range map[string]struct {
		then   func(t *testing.T, w *World, r *Run)
		reason string
	}{
		"after undo and again": {func(t *testing.T, w *World, r *Run) {
			finish(t, w, *r)
			undo := undoOf(*r)
			undo.Saved = nil
			finish(t, w, undo)
		}, "PlanUsed"},
		"after an undo from half-way": {func(t *testing.T, w *World, r *Run) {
			half := *r
			half.Until = migration.StepInstall
			finish(t, w, half)
			undo := undoOf(*r)
			undo.Saved = nil
			finish(t, w, undo)
		}, "PlanUsed"},
		"the undo of it": {func(t *testing.T, w *World, r *Run) {
			finish(t, w, *r)
			r.Undo = true
		}, "PlanMoved"},
		"an owner put the flag back": {func(t *testing.T, w *World, r *Run) {
			before := w.mgmt.get(provClusters, fleet, clusterName)["spec"]
			half := *r
			half.Until = migration.StepEnable
			finish(t, w, half)
			cluster := w.mgmt.get(provClusters, fleet, clusterName)
			cluster["spec"] = before
			w.mgmt.put(provClusters, cluster, w.now)
			w.advance(w.now.Add(time.Hour)) // Rancher rolls it out
		}, "Reverted"},
		"another cluster under its name": {func(_ *testing.T, w *World, _ *Run) {
			newIdentity(w.down, "namespaces", "", kubeSystem, w)
		}, "PlanOfAnotherCluster"},
		"another Cluster object under its name": {func(_ *testing.T, w *World, _ *Run) {
			newIdentity(w.mgmt, provClusters, fleet, clusterName, w)
		}, "PlanOfAnotherCluster"},
		"an old journal came back": {func(t *testing.T, w *World, r *Run) {
			first := *r
			first.Until = migration.StepLeaseAccess
			finish(t, w, first)
			old := w.mgmt.get(configMaps, fleet, name)
			finish(t, w, *r)
			undo := undoOf(*r)
			undo.Saved = nil
			finish(t, w, undo)
			w.mgmt.put(configMaps, old, w.now)
		}, "ManagementRestored"},
		"the journal is gone": {func(t *testing.T, w *World, r *Run) {
			finish(t, w, *r)
			undo := undoOf(*r)
			undo.Saved = nil
			finish(t, w, undo)
			w.mgmt.remove(key{configMaps, fleet, name})
		}, "ManagementRestored"},
		"a Secret's content changed": {func(_ *testing.T, w *World, _ *Run) {
			w.mgmt.put("secrets", cloudSecret("[Global]\nZone=eu-west-1b\n"), w.now)
		}, "PlanMoved"},
		"a check more is skipped": {func(_ *testing.T, _ *World, r *Run) {
			r.Skip = map[string]string{"AWSM-404": "no NAT here"}
		}, "PlanMoved"},
		"another version of awsmigrate": {func(_ *testing.T, _ *World, r *Run) {
			r.Version = "v2"
		}, "PlanOfAnotherVersion"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newRKE2(object{"cni": "calico", "cloud-provider-config": "secret://" + fleet + ":cloud"})
			w.mgmt.put("secrets", cloudSecret("[Global]\nZone=eu-west-1a\n"), w.now)
			r := Run{Version: "v1"}
			r.Saved = savePlan(t, r, w)
			tt.then(t, w, &r)
			before := w.Dump()
			r.ID = w.nextRun()
			ended := do(t, r, w)
			f, _ := fault.As(ended.Err)
			if f == nil || f.Reason != tt.reason || f.Class != fault.Stale || ended.Writes != 0 {
				t.Errorf("%d writes, %v, want %s", ended.Writes, ended.Err, tt.reason)
			}
			if d := cmp.Diff(before, w.Dump()); d != "" {
				t.Error(d)
			}
		})
	}
}

// finish makes a run that must succeed.
func finish(t *testing.T, w *World, r Run) {
	t.Helper()
	r.ID = w.nextRun()
	if ended := do(t, r, w); ended.Err != nil {
		t.Fatalf("%s until %q: %v", r.ID, r.Until, ended.Err)
	}
}

func cloudSecret(text string) object {
	return object{"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": "cloud", "namespace": fleet},
		"data": object{"credential": base64.StdEncoding.EncodeToString([]byte(text))}}
}

// newIdentity recreates an object under its name.
func newIdentity(s *server, kind, namespace, name string, w *World) {
	o := s.get(kind, namespace, name)
	delete(mapAt(o, "metadata"), "uid")
	s.remove(key{kind, namespace, name})
	s.put(kind, o, w.now)
}
