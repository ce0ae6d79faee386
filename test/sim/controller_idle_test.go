package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

func jsonOf(v any) ([]byte, error) { return json.Marshal(v) }

// counted counts calls by what they are for, and can begin anew.
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

// Whoever is only audited costs an audit a day: two requests an hour are not reached.
func TestAuditedClusterAsksForLittle(t *testing.T) {
	t.Parallel()
	w, count := controlled(t), counted{}
	o := pod{Change: func(o *controller.Options) { o.Election.Off = true }, Before: func(c Call) Outcome {
		if !strings.Contains(c.Path, "/clustermigrations") || c.Verb != "GET" { // its watch is the controller's
			count.note(c)
		}
		return Pass
	}}
	during(t, o, w, func(*Process) { pass(25 * time.Hour) })
	t.Logf("counts: 25 hours of a cluster that is audited: %v", count)
	if count["management"] > 2*25+2*25*12 { // and the watch of Clusters, at most all five minutes
		t.Errorf("%d requests", count["management"])
	}
}

// mostStatuses is how often the status of a running cluster may be written in a minute.
const mostStatuses = 12

// A controller migrates a cluster and takes it back as its object says, and writes the
// status of a cluster on which it works no more often than somebody can read it.
func TestControllerGoesThereAndBack(t *testing.T) {
	t.Parallel()
	w := controlled(t)
	var writes []time.Time
	o := pod{After: func(c Call) {
		if strings.HasSuffix(c.Path, "/clustermigrations/"+clusterName+"/status") {
			writes = append(writes, w.now)
		}
	}}
	if !carry(t, o, w, "Undo") || len(w.Violations()) > 0 {
		t.Fatalf("%v; it shows %s", w.Violations(), must(jsonOf(w.migration())))
	}
	most := 0
	for i := range writes {
		n := 1
		for n <= i && writes[i].Sub(writes[i-n]) < time.Minute {
			n++
		}
		most = max(most, n)
	}
	if t.Logf("counts: the status was written %d times, at most %d times in a minute", len(writes), most); most > mostStatuses {
		t.Errorf("the status was written %d times in a minute, wanted at most %d", most, mostStatuses)
	}
}

// stalledBy are the ways in which an object stands still until somebody helps.
var stalledBy = map[string]struct {
	reason string
	before func(w *World) // the way begins
	rolls  func(w *World) // a machine is in hand
}{
	"a run that failed":       {"Failed", func(w *World) { w.setNodeReady(w.machines[3].node, false) }, nil},
	"a brake that was pulled": {"BrakePulled", nil, func(w *World) { w.rename(1) }},
	"a broken journal": {"Failed", func(w *World) {
		w.mgmt.put("configmaps", object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"namespace": fleet, "name": journal.Name(clusterName)},
			"data": object{"journal.json": "{", "sha256": "0"}}, w.now)
	}, nil},
}

// An object that is stalled has the cluster left alone until somebody helps.
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
			during(t, o, w, func(*Process) {
				for end := time.Now().Add(2 * time.Hour); time.Now().Before(end); pass(looksEvery) {
					person{w, "Migrate"}.act()
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
			if reason != c.reason || count["downstream"] > 0 || count["status"] > 0 {
				t.Errorf("stalled for %q, wanted %q; half an hour cost %v; it shows %s", reason, c.reason, count, must(jsonOf(m["status"])))
			}
		})
	}
}
