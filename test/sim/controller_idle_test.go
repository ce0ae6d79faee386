package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func jsonOf(v any) ([]byte, error) { return json.Marshal(v) }

// counted counts calls by purpose, and can be reset.
type counted map[string]int

func (n counted) note(c Call) {
	switch {
	case strings.HasSuffix(c.Path, "/leases/awsmigrate"):
		n["election"]++
	case strings.HasSuffix(c.Path, "/status"):
		n["status"]++
		n[c.Server]++
	default:
		n[c.Server]++
	}
}

// engineAtRest returns an engine for clusters at their goal, without requests.
func engineAtRest() controller.Engine {
	return controller.Engine{
		Assess: func(_ context.Context, c session.Connector, _ session.Options) (session.Assessment, error) {
			return session.Assessment{Target: journal.Target{Kind: "rke2", Name: c.(session.Target).Name}, Says: runner.Observation{Position: "P0"}}, nil
		},
		Audit: func(context.Context, session.Target, session.Options) (controller.Audited, error) {
			return controller.Audited{At: time.Now(), Position: "P0", Report: verify.Report{Counts: map[verify.Status]int{verify.OK: 3}}}, nil
		},
		Run: func(context.Context, session.Connector, session.Options) (session.Result, error) {
			panic("an idle engine was asked to run")
		},
	}
}

// fleetOf returns a Rancher with n more clusters, each with an object. Every second one was
// migrated, the others are audited.
func fleetOf(t *testing.T, n int) *World {
	t.Helper()
	w := controlled(t)
	for i := range n {
		name := fmt.Sprintf("cluster-%03d", i)
		cluster := w.mgmt.get(provClusters, fleet, clusterName)
		meta := mapAt(cluster, "metadata")
		meta["name"] = name
		delete(meta, "uid")
		w.mgmt.put(provClusters, cluster, w.now)
		spec := object{"goal": "Audit"}
		if i%2 == 0 {
			spec = object{"goal": "Migrate", "edits": "Apply"}
		}
		w.mgmt.put(migrations, object{"apiVersion": "awsmigrate.io/v1alpha1", "kind": "ClusterMigration",
			"metadata": object{"namespace": fleet, "name": name}, "spec": spec}, w.now)
	}
	return w
}

// idleHour counts the requests of a controller with n more clusters in an hour without events.
func idleHour(t *testing.T, n int) counted {
	t.Helper()
	w, count := fleetOf(t, n), counted{}
	o := pod{Change: func(o *controller.Options) { o.Engine = engineAtRest() }, Before: func(c Call) Outcome { count.note(c); return Pass }}
	runDuring(t, o, w, func(*Process) {
		pass(10 * time.Minute)
		for _, k := range w.mgmt.keys(migrations, fleet) {
			if state := text(w.mgmt.peek(migrations, fleet, k.name), "status", "display", "state"); state != "Succeeded" && state != "Passed" {
				t.Errorf("%s is %q", k.name, state)
			}
		}
		w.mu.Lock()
		clear(count)
		w.mu.Unlock()
		pass(time.Hour)
		w.mu.Lock()
		defer w.mu.Unlock()
		count = maps.Clone(count)
	})
	return count
}

// In an hour without events, no status is written, and a cluster costs no request. All requests
// are the controller's, for any number of clusters.
func TestController_idle_makesNoRequests(t *testing.T) {
	t.Parallel()
	few, many := idleHour(t, 4), idleHour(t, 34)
	t.Logf("counts: an idle hour of 5 clusters: %v; of 35: %v", few, many)
	if few["status"]+many["status"] > 0 {
		t.Errorf("%d and %d statuses were written", few["status"], many["status"])
	}
	const others = 10 // watches last for random times
	if more := many["management"] - few["management"]; more > others {
		t.Errorf("30 more clusters cost %d more requests in an hour", more)
	}
	if many["management"] > 2*35 {
		t.Errorf("%d requests in an hour", many["management"])
	}
}

// A cluster that is only audited costs one audit a day: fewer than two requests an hour.
func TestController_auditedCluster_makesFewRequests(t *testing.T) {
	t.Parallel()
	w, count := controlled(t), counted{}
	o := pod{Change: func(o *controller.Options) { o.Election.Off = true }, Before: func(c Call) Outcome {
		if !strings.Contains(c.Path, "/clustermigrations") || c.Verb != "GET" { // the controller's watch
			count.note(c)
		}
		return Pass
	}}
	runDuring(t, o, w, func(*Process) { pass(25 * time.Hour) })
	t.Logf("counts: 25 hours of a cluster that is audited: %v", count)
	if count["management"] > 2*25+2*25*12 { // and the watch of Clusters, at most every five minutes
		t.Errorf("%d requests", count["management"])
	}
}

// stalledBy holds the states in which an object is stalled until a person acts.
var stalledBy = map[string]struct {
	reason string
	before func(w *World) // before the migration
	rolls  func(w *World) // while a machine is current
	audits int            // in half an hour: a failed audit is repeated
}{
	"a run that failed": {"Failed", func(w *World) { w.setNodeReady(w.machines[3].node, false) }, nil, 2},
	"a paused rollout":  {"BrakePulled", nil, func(w *World) { w.addSecondNodeLocked(1) }, 2},
	"a broken journal": {"Failed", func(w *World) {
		w.mgmt.put("configmaps", object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"namespace": fleet, "name": journal.Name(clusterName)},
			"data": object{"journal.json": "{", "sha256": "0"}}, w.now)
	}, nil, 0},
}

// maxAuditRequests is the maximum number of requests of one audit to its cluster.
const maxAuditRequests = 70

// The cluster of a stalled object is left alone until a person acts.
func TestStalledClusterIsLeftAlone(t *testing.T) {
	for name, c := range stalledBy {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, count, standsFor := controlled(t), counted{}, time.Time{}
			if c.before != nil {
				c.before(w)
			}
			w.mgmt.put(migrations, object{"apiVersion": "awsmigrate.io/v1alpha1", "kind": "ClusterMigration",
				"metadata": object{"namespace": fleet, "name": clusterName}, "spec": object{"goal": "Migrate", "edits": "Apply"}}, w.now)
			o := pod{Before: func(call Call) Outcome {
				if count.note(call); c.rolls != nil && w.rancher.rolling != "" && len(list(w.journalObject(), "intents")) > 0 {
					c.rolls(w)
					c.rolls = nil
				}
				return Pass
			}}
			runDuring(t, o, w, func(*Process) {
				for end := time.Now().Add(2 * time.Hour); time.Now().Before(end); pass(lookInterval) {
					person{w: w, last: "Migrate"}.act()
					w.mu.Lock()
					stalled := text(w.migration(), "status", "display", "state") == "Stalled"
					w.mu.Unlock()
					if stalled {
						break
					}
				}
				pass(time.Minute)
				standsFor = time.Now()
				w.mu.Lock()
				clear(count)
				w.mu.Unlock()
				pass(30 * time.Minute)
			})
			m := w.migration()
			reason := ""
			for _, one := range list(m, "status", "conditions") {
				if condition := one.(object); condition["type"] == "Stalled" && condition["status"] == "True" {
					reason, _ = condition["reason"].(string)
				}
			}
			t.Logf("counts: half an hour of %s, from %s: %v", name, standsFor.Sub(epoch), count)
			if reason != c.reason || count["downstream"] > c.audits*maxAuditRequests || count["status"] > c.audits {
				t.Errorf("stalled for %q, wanted %q; half an hour cost %v; the object shows %s", reason, c.reason, count, must(jsonOf(m["status"])))
			}
		})
	}
}
