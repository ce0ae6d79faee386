package sim

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/controller"
)

// grant is one verb of one rule that the chart gives to the controller.
type grant struct {
	verb, group, resource, namespace string
	names                            []string
}

func (g grant) String() string {
	words := []string{g.verb, strings.TrimPrefix(g.group+"/"+g.resource, "/")}
	if g.namespace != "" {
		words = append(words, "in "+g.namespace)
	}
	return strings.Join(append(words, g.names...), " ")
}

// covers reports whether the grant allows a request, as Kubernetes judges it.
func (g grant) covers(r right) bool {
	return g.verb == r.verb && g.group == r.group && g.resource == r.resource && (g.namespace == "" || g.namespace == r.namespace) &&
		(len(g.names) == 0 || r.name != "" && slices.Contains(g.names, r.name))
}

// chartGrants returns the chart's grants with some values. The rendered objects are a golden file
// of the chart's tests.
func chartGrants(t *testing.T, values string) (all []grant) {
	t.Helper()
	text, err := os.ReadFile("../../charts/testdata/awsmigrate/" + values + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var role rbacv1.Role
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Kind != "Role" && kind.Kind != "ClusterRole" {
			continue
		}
		if err := yaml.Unmarshal(document, &role); err != nil {
			t.Fatal(err)
		}
		if role.Name == "awsmigrate-view" || role.Name == "awsmigrate-edit" {
			continue // grants for people
		}
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				all = append(all, grant{verb, rule.APIGroups[0], rule.Resources[0], role.Namespace, rule.ResourceNames})
			}
		}
	}
	return all
}

// allowed returns the grants that cover a request to the management cluster.
func allowed(grants []grant, r right) (by []int) {
	for i, g := range grants {
		if g.covers(r) {
			by = append(by, i)
		}
	}
	return by
}

// modes holds the duties of an installation, by the chart's golden file.
var modes = map[string][]office{"defaults": {auditOffice, auditOffice215, showOffice}, "migrate": {migrateOffice, pauseOffice, guardOffice, rollOutOffice}}

// office is a duty of the controller, from its start to a visible end.
type office struct {
	name string
	// does runs a controller and returns a description of the failure, or an empty string.
	does func(t *testing.T, o pod) string
}

// inRancher215 returns a cluster with a controller in the newest Rancher of the model, which has Beacons.
func inRancher215(t *testing.T) *World {
	t.Helper()
	return withController(t, rancher215.newRKE2(defaultConfig()))
}

var auditOffice = auditsIn("audits", controlledWorld, usualWarnings)

// auditOffice215 audits in Rancher 2.15, which does not offer the cluster's release (AWSM-102).
var auditOffice215 = auditsIn("audits in Rancher 2.15", inRancher215, usualWarnings+1)

func controlledWorld(t *testing.T) *World { return controlled(t) }

func auditsIn(name string, world func(*testing.T) *World, warnings int64) office {
	return office{name, func(t *testing.T, o pod) string {
		w, change := world(t), o.Change
		o.Change = func(o *controller.Options) { change(o); o.AuditsOnly, o.Interval = true, 10*time.Minute }
		again := w.Now().Add(10 * time.Minute) // a leader without its Lease keeps running for a while
		if !awaitWithin(t, time.Hour, o, w, func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			at, err := time.Parse(time.RFC3339, text(w.migration(), "status", "audit", "at"))
			state := text(w.migration(), "status", "display", "state")
			return err == nil && at.After(again) && (state == "Passed" || state == "Findings")
		}) {
			return "no second audit is shown"
		}
		return describeWarnings(w, warnings)
	}}
}

var migrateOffice = office{"migrates and undoes", func(t *testing.T, o pod) string {
	w := controlled(t)
	if !awaitWithin(t, time.Hour, o, w, person{w: w, last: "Undo"}.act) {
		return "the goal is not reached"
	}
	return describeMissing(w)
}}

var pauseOffice = office{"pauses", func(t *testing.T, o pod) string {
	w, before, seeded := inRancher215(t), o.Before, false
	o.Before = func(c Call) Outcome {
		if !seeded && w.rollsAtLast() {
			w.addSecondNodeLocked(1)
			seeded = true
		}
		return before(c)
	}
	if !awaitWithin(t, time.Hour, o, w, func() bool {
		person{w: w, last: "Migrate"}.act()
		return w.shows("Stalled") && w.hasPause()
	}) {
		return "no controller paused the rollout"
	}
	return ""
}}

var guardOffice = office{"watches a rollout without an object", func(t *testing.T, o pod) string {
	w := controlled(t)
	if !awaitWithin(t, time.Hour, pod{Change: applyChartOptions}, w, func() bool {
		person{w: w, last: "Migrate"}.act()
		return w.rolls()
	}) {
		t.Fatal("nothing rolls")
	}
	w.mgmt.remove(key{migrations, fleet, clusterName})
	w.addSecondNodeLocked(1)
	o.Next = false // the previous pod is gone
	if !awaitWithin(t, time.Hour, o, w, w.hasPause) {
		return "no controller paused the rollout"
	}
	return ""
}}

// showOffice shows in mode audit that no rollout begins.
var showOffice = office{"shows a rollout", func(t *testing.T, o pod) string {
	w, change := controlled(t), o.Change
	w.putRollout()
	o.Change = func(o *controller.Options) { change(o); o.AuditsOnly = true }
	if !awaitWithin(t, time.Hour, o, w, func() bool { return w.rolloutShows("Paused") }) {
		return "the rollout shows no state"
	}
	return ""
}}

var rollOutOffice = office{"rolls out", func(t *testing.T, o pod) string {
	w := controlled(t)
	w.putRollout()
	if !awaitWithin(t, time.Hour, o, w, func() bool { w.approveRollout(); return w.rolloutShows("Succeeded") }) {
		return "the rollout does not end"
	}
	return ""
}}

const rolloutName = "eu"

// putRollout creates a rollout of one wave with every cluster.
func (w *World) putRollout() {
	w.mgmt.put(rollouts, object{"apiVersion": "awsmigrate.io/v1alpha1", "kind": "MigrationRollout",
		"metadata": object{"namespace": fleet, "name": rolloutName, "uid": "00000000-0000-4000-8000-0000000000ee"},
		"spec":     object{"goal": "Migrate", "edits": "Apply", "waves": []any{object{"name": "all"}}}}, w.now)
}

// approveRollout approves the rollout whenever it, or its cluster, asks for it.
func (w *World) approveRollout() {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.mgmt.get(rollouts, fleet, rolloutName)
	asks := func(o object) bool { return text(o, "status", "display", "state") == "Awaiting-Approval" }
	if !asks(r) && !asks(w.migration()) {
		return
	}
	member := object{"cluster": clusterName, "wave": "all", "plan": text(w.migration(), "status", "plan", "hash")}
	mapAt(r, "spec")["approved"] = object{"goal": "Migrate", "members": []any{member}}
	w.mgmt.put(rollouts, r, w.now)
}

func (w *World) rolloutShows(state string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(time.Now())
	return text(w.mgmt.peek(rollouts, fleet, rolloutName), "status", "display", "state") == state
}

// shows reports whether the object shows the state.
func (w *World) shows(state string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return text(w.migration(), "status", "display", "state") == state
}

func (w *World) hasPause() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pausedBy() != ""
}

func (w *World) rolls() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rollsAtLast()
}

// rollsAtLast reports whether Rancher still works on a machine for a run. w.mu is held.
func (w *World) rollsAtLast() bool {
	return w.rancher.rolling != "" && len(list(w.journalObject(), "intents")) > 0
}

// applyChartOptions sets the options of the chart's Deployment that match the rights.
func applyChartOptions(o *controller.Options) { o.Scope.RKE = []string{} }

// usualWarnings is the number of warnings for a cluster that was migrated and undone.
const usualWarnings = 1

// describeMissing describes the status or event that is missing for such a cluster, or returns an
// empty string.
func describeMissing(w *World) string {
	for k := range w.mgmt.objects {
		if k.resource == "events.events.k8s.io" {
			return describeWarnings(w, usualWarnings)
		}
	}
	return "no event reports it"
}

// describeWarnings describes the checks of a world that are unknown, or warn more than usual, or
// returns an empty string.
func describeWarnings(w *World, usual int64) string {
	warn, unknown := number(w.migration(), "status", "audit", "warn"), number(w.migration(), "status", "audit", "unknown")
	if warn > usual || unknown > 0 {
		return fmt.Sprintf("%d checks warn and %d could not look", warn, unknown)
	}
	return ""
}

// testedElsewhere lists grants whose absence breaks nothing here, with the test that needs each.
// The simulated connection reads no kubeconfig. A watch that begins with a list needs no list, and
// Kubernetes 1.26 lacks such watches. After a refused watch, client-go waits by a clock of the
// whole process, which a bubble lacks. A repeated event for one version of the object is rare.
var testedElsewhere = map[string]string{
	"defaults: list configmaps in fleet-default":             "in mode audit, only the log reports a rollout that cannot be watched",
	"patch events.k8s.io/events in fleet-default":            "internal/controller TestOnAnAPIServer/CountsWhatHappensAgain",
	"get secrets in fleet-default":                           "test/e2e TestFreshInstallation",
	"watch awsmigrate.io/clustermigrations in fleet-default": "test/e2e TestFreshInstallation",
	"watch provisioning.cattle.io/clusters in fleet-default": "test/e2e TestFreshInstallation",
	"list awsmigrate.io/clustermigrations in fleet-default":  "test/e2e TestFreshInstallation",
	"list provisioning.cattle.io/clusters in fleet-default":  "test/e2e TestFreshInstallation",
	"list awsmigrate.io/migrationrollouts in fleet-default":  "test/e2e TestRollout",
	"watch awsmigrate.io/migrationrollouts in fleet-default": "test/e2e TestRollout",
}

// The chart's rights match the controller's requests to the management cluster while it audits,
// migrates, undoes and pauses. No request is refused, and each missing right breaks a duty.
func TestControllerMayWhatItDoes(t *testing.T) {
	t.Parallel()
	for mode, offices := range modes {
		t.Run(mode, func(t *testing.T) {
			grants := chartGrants(t, mode)
			usedBy := map[int][]office{}
			for _, of := range offices {
				used, refused := of.run(t, grants)
				if len(refused) > 0 {
					t.Errorf("a controller that %s: refused %v", of.name, refused)
				}
				for i := range used {
					usedBy[i] = append(usedBy[i], of)
				}
			}
			for i, g := range grants {
				if testedElsewhere[g.String()] == "" && testedElsewhere[mode+": "+g.String()] == "" {
					t.Run(fmt.Sprint("without ", g), func(t *testing.T) { requireNeed(t, usedBy[i], slices.Delete(slices.Clone(grants), i, i+1)) })
				}
			}
		})
	}
}

// run runs a controller with those rights, and returns the rights that it used and the requests
// that were refused.
func (of office) run(t *testing.T, grants []grant) (used map[int]bool, refused []right) {
	t.Helper()
	used = map[int]bool{}
	if wrong := of.does(t, podWithGrants(t, grants, func(r right, by []int) {
		for _, i := range by {
			used[i] = true
		}
		if len(by) == 0 {
			refused = append(refused, r)
		}
	})); wrong != "" {
		t.Errorf("a controller that %s: %s", of.name, wrong)
	}
	return used, refused
}

// podWithGrants returns a controller with only those rights in the management cluster.
func podWithGrants(t *testing.T, grants []grant, told func(right, []int)) pod {
	return pod{Next: true, Change: applyChartOptions, Before: func(c Call) Outcome {
		if c.Server != "management" || !apiPath.MatchString(c.Path) {
			return Pass
		}
		r := rightOf(t, c)
		by := allowed(grants, r)
		told(r, by)
		if len(by) == 0 {
			return Denied
		}
		return Pass
	}}
}

// requireNeed requires that the remaining rights break one of the duties.
func requireNeed(t *testing.T, users []office, left []grant) {
	t.Helper()
	for _, of := range users {
		if wrong := of.does(t, podWithGrants(t, left, func(right, []int) {})); wrong != "" {
			t.Log(wrong)
			return
		}
	}
	t.Errorf("granted and used by %d duties, but no duty needs it", len(users))
}
