package sim

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/controller"
	"github.com/awsmigrate/awsmigrate/internal/controller/metrics"
)

// scraped holds a Prometheus's samples of the controllers of a world: the value of each series at
// each scrape. "_" precedes a series, and "stale" ends it.
type scraped struct {
	w       *World
	every   time.Duration // scrape interval
	began   time.Time
	scrapes int
	series  map[string][]string
}

var metricLine = regexp.MustCompile(`(?m)^(awsmigrate_\w+(?:\{.*\})?) (\S+)$`)

// scrape adds a sample of each series that registry gathers. If registry is nil, no controller
// answers.
func (r *scraped) scrape(t *testing.T, registry *prometheus.Registry) {
	t.Helper()
	now := map[string]string{}
	if registry != nil {
		answer := httptest.NewRecorder()
		metrics.Handler(registry).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
		for _, m := range metricLine.FindAllStringSubmatch(answer.Body.String(), -1) {
			now[m[1]] = r.value(t, m[1], m[2])
		}
	}
	for name, value := range now {
		if r.series[name] == nil {
			r.series[name] = slices.Repeat([]string{"_"}, r.scrapes)
		}
		r.series[name] = append(r.series[name], value)
	}
	r.scrapes++
	for name, values := range r.series {
		if len(values) < r.scrapes {
			r.series[name] = append(values, map[bool]string{true: "_", false: "stale"}[values[len(values)-1] == "stale" || values[len(values)-1] == "_"])
		}
	}
}

// value returns the value of a series: promtool counts time from the first scrape.
func (r *scraped) value(t *testing.T, name, text string) string {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	if base, _, _ := strings.Cut(name, "{"); strings.HasSuffix(base, "_timestamp_seconds") {
		v -= float64(r.began.Unix())
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// stage is a part of a play. It is over once is returns true.
type stage struct {
	what string
	is   func() bool
}

// waitStage returns a stage in which only time passes.
func waitStage(d time.Duration) stage {
	var begun time.Time
	return stage{d.String(), func() bool {
		if begun.IsZero() {
			begun = time.Now()
		}
		return time.Since(begun) >= d
	}}
}

// changeStage returns a stage that changes the world once.
func (r *scraped) changeStage(what string, do func(w *World)) stage {
	return stage{what, func() bool {
		r.w.mu.Lock()
		defer r.w.mu.Unlock()
		r.w.advance(time.Now())
		do(r.w)
		return true
	}}
}

// play runs one controller through all stages while its metrics are scraped.
func (r *scraped) play(t *testing.T, o pod, stages ...stage) {
	t.Helper()
	registry, change := prometheus.NewRegistry(), o.Change
	meter := metrics.New(metrics.Options{Runs: 5, Now: time.Now})
	o.Change = func(c *controller.Options) {
		if c.Meter = meter; change != nil {
			change(c)
		}
	}
	o.Made = func(c *controller.Controller) {
		if err := meter.Register(registry, c.Leads); err != nil {
			t.Error(err)
		}
	}
	runDuring(t, o, r.w, func(*Process) { r.pass(t, registry, stages) })
}

// runEmpty lets time pass without a controller.
func (r *scraped) runEmpty(t *testing.T, d time.Duration) {
	t.Helper()
	bubble(t, r.w, func(context.Context) { r.pass(t, nil, []stage{waitStage(d)}) })
}

func (r *scraped) pass(t *testing.T, registry *prometheus.Registry, stages []stage) {
	if r.began.IsZero() {
		r.began = time.Now()
	}
	next := time.Now()
	for _, s := range stages {
		for end := time.Now().Add(80 * time.Hour); !s.is(); pass(lookInterval) {
			if time.Now().After(end) {
				t.Errorf("stage %s never ended; the object shows %s", s.what, must(jsonOf(mapAt(r.w.migration(), "status")["display"])))
				return
			}
			if !time.Now().Before(next) {
				r.scrape(t, registry)
				next = next.Add(r.every)
			}
		}
	}
}

// alarms holds plays in which an alert fires once and is over at the end.
var alarms = map[string]struct {
	metric string        // the alert's metric, with a label if only some series count
	every  time.Duration // a minute if 0
	also   []string      // other alerts that may fire
	play   func(t *testing.T, r *scraped)
}{
	"AwsmigrateStalled": {metric: `awsmigrate_stalled{cluster="demo",namespace="fleet-default",reason="Failed"}`, play: func(t *testing.T, r *scraped) {
		r.w.setNodeReady(r.w.machines[3].node, false)
		r.play(t, pod{}, r.goalStage("Migrate", "Stalled"), waitStage(10*time.Minute), r.changeStage("repair", func(w *World) {
			w.setNodeReady(w.machines[3].node, true)
			w.retry()
		}), r.goalStage("Migrate", "Succeeded"), waitStage(10*time.Minute))
	}},
	"AwsmigrateBrakePulled": {metric: `awsmigrate_stalled{cluster="demo",namespace="fleet-default",reason="BrakePulled"}`, play: func(t *testing.T, r *scraped) {
		r.play(t, r.renames(), r.goalStage("Migrate", "Stalled"), waitStage(5*time.Minute), r.changeStage("repair", func(w *World) { w.endPause(1) }), r.goalStage("Migrate", "Succeeded"), waitStage(5*time.Minute))
	}},
	"AwsmigrateBrakeFailed": {metric: `awsmigrate_brakes_total{result="failed"}`, also: []string{"AwsmigrateBrakePulled", "AwsmigrateStalled"}, play: func(t *testing.T, r *scraped) {
		away := Away
		o := r.renames()
		before := o.Before
		o.Before = func(c Call) Outcome {
			before(c)
			renamed := r.w.down.peek("nodes", "", "second-"+r.w.machines[1].node) != nil
			if renamed && c.Verb == "PATCH" && (strings.Contains(c.Path, "/rkecontrolplanes/") || strings.Contains(c.Path, "/clusters/")) {
				return away
			}
			return Pass
		}
		r.play(t, o, r.rolloutStage(), waitStage(5*time.Minute), r.changeStage("the API is back", func(*World) { away = Pass }), stage{"the pause", r.w.hasPause}, waitStage(40*time.Minute))
	}},
	"AwsmigrateReverted": {metric: `awsmigrate_reverted`, play: func(t *testing.T, r *scraped) {
		old := mapAt(r.w.mgmt.get(provClusters, fleet, clusterName), "spec")
		var kept object
		r.play(t, pod{}, r.goalStage("Migrate", "Succeeded"), r.changeStage("revert", func(w *World) {
			w.pause("true") // Rancher does not carry it out
			kept = w.setSpec(old)
		}), waitStage(10*time.Minute), r.changeStage("repair", func(w *World) { w.setSpec(kept); w.pause("") }), r.goalStage("Migrate", "Succeeded"), waitStage(10*time.Minute))
	}},
	"AwsmigrateWaveStopped": {metric: `awsmigrate_wave_stopped`, also: []string{"AwsmigrateStalled"}, play: func(t *testing.T, r *scraped) {
		r.w.putRollout()
		r.w.setNodeReady(r.w.machines[3].node, false)
		shows := func(state string) stage {
			return stage{"rollout " + state, func() bool { r.w.approveRollout(); return r.w.rolloutShows(state) }}
		}
		r.play(t, pod{}, shows("Stalled"), waitStage(10*time.Minute), r.changeStage("repair", func(w *World) {
			w.setNodeReady(w.machines[3].node, true)
			w.retry()
		}), shows("Succeeded"), waitStage(10*time.Minute))
	}},
	"AwsmigrateNoProgress": {metric: `awsmigrate_step_last_progress_timestamp_seconds`, play: func(t *testing.T, r *scraped) {
		r.play(t, pod{}, r.rolloutStage(), r.changeStage("stop", func(w *World) { w.rancher.stuck = true }), waitStage(12*time.Minute),
			r.changeStage("go on", func(w *World) { w.rancher.stuck = false }), r.goalStage("Migrate", "Succeeded"), waitStage(5*time.Minute))
	}},
	"AwsmigrateAuditFailing": {metric: `awsmigrate_audit_checks{cluster="demo",namespace="fleet-default",result="fail"}`, play: func(t *testing.T, r *scraped) {
		r.w.setNodeReady(r.w.machines[3].node, false)
		often := pod{Change: func(o *controller.Options) { o.Interval = 10 * time.Minute }}
		r.play(t, often, waitStage(75*time.Minute), r.changeStage("repair", func(w *World) { w.setNodeReady(w.machines[3].node, true) }), waitStage(30*time.Minute))
	}},
	"AwsmigrateAwaitingApproval": {metric: `awsmigrate_awaiting_approval_since_timestamp_seconds`, every: 10 * time.Minute, play: func(t *testing.T, r *scraped) {
		wants := stage{"a plan", func() bool {
			if !r.w.shows("Awaiting-Approval") {
				person{w: r.w, last: "Migrate"}.act()
				return false
			}
			return true
		}}
		r.play(t, pod{Change: func(o *controller.Options) { o.Election.Off = true }}, wants, waitStage(74*time.Hour), r.goalStage("Migrate", "Succeeded"), waitStage(time.Hour))
	}},
	"AwsmigrateControllerDown": {metric: `awsmigrate_leader`, play: func(t *testing.T, r *scraped) {
		r.play(t, pod{}, waitStage(10*time.Minute))
		r.runEmpty(t, 10*time.Minute)
		r.play(t, pod{}, waitStage(10*time.Minute))
	}},
}

// goalStage returns a stage in which a person acts until the object shows a state.
func (r *scraped) goalStage(goal, state string) stage {
	return stage{state + " after " + goal, func() bool {
		person{w: r.w, last: goal}.act()
		r.w.mu.Lock()
		defer r.w.mu.Unlock()
		m := r.w.migration()
		return text(m, "spec", "goal") == goal && number(m, "status", "observedGeneration") == number(m, "metadata", "generation") &&
			text(m, "status", "display", "state") == state
	}}
}

func (r *scraped) rolloutStage() stage {
	return stage{"a current machine", func() bool {
		person{w: r.w, last: "Migrate"}.act()
		return r.w.rolls()
	}}
}

// renames returns a controller in whose first rollout a machine returns under another name.
func (r *scraped) renames() pod {
	seeded := false
	return pod{Before: func(Call) Outcome {
		if !seeded && r.w.rollsAtLast() {
			r.w.addSecondNodeLocked(1)
			seeded = true
		}
		return Pass
	}}
}

// retry requests another try. w.mu is held.
func (w *World) retry() {
	m := w.mgmt.get(migrations, fleet, clusterName)
	mapAt(m, "metadata", "annotations")[controller.RetryAnnotation] = w.now.String()
	w.mgmt.put(migrations, m, w.now)
}

// endPause removes the second Node of the i-th machine, and the pause. w.mu is held.
func (w *World) endPause(i int) {
	w.down.remove(key{"nodes", "", "second-" + w.machines[i].node})
	w.pause("")
	w.retry()
}

// setSpec changes the Cluster, and returns its old spec. w.mu is held.
func (w *World) setSpec(spec object) (was object) {
	cluster := w.mgmt.get(provClusters, fleet, clusterName)
	was = mapAt(cluster, "spec")
	cluster["spec"] = spec
	w.mgmt.put(provClusters, cluster, w.now)
	return was
}

// ruleTest is a file for `promtool test rules`.
type ruleTest struct {
	RuleFiles          []string     `json:"rule_files"`
	EvaluationInterval string       `json:"evaluation_interval"`
	Tests              []playedTest `json:"tests"`
}

type playedTest struct {
	Name        string       `json:"name"`
	Interval    string       `json:"interval"`
	InputSeries []inputs     `json:"input_series"`
	Exprs       []exprResult `json:"promql_expr_test"`
}

type inputs struct {
	Series string `json:"series"`
	Values string `json:"values"`
}

type exprResult struct {
	Expr     string   `json:"expr"`
	EvalTime string   `json:"eval_time"`
	Samples  []sample `json:"exp_samples"`
}

type sample struct {
	Labels string  `json:"labels"`
	Value  float64 `json:"value"`
}

// Each alert fires once in a scraped run of the real controller and is over at its end, and no
// other alert fires. Without promtool, the test checks that every play ends and that each alert's
// metric comes and goes.
func TestAlertsOnRecordedRuns(t *testing.T) {
	t.Parallel()
	for alert, a := range alarms {
		t.Run(alert, func(t *testing.T) {
			t.Parallel()
			r := &scraped{w: controlled(t), every: max(a.every, time.Minute), series: map[string][]string{}}
			a.play(t, r)
			if !r.hasMovement(a.metric) {
				t.Errorf("%s does not come and go:\n%s", a.metric, r.matchingSeries(a.metric))
			}
			promtool, err := exec.LookPath("promtool")
			if err != nil {
				t.Log("no promtool in PATH: the rules were not played; `make alerts` insists on it")
				return
			}
			file := filepath.Join(t.TempDir(), "test.yaml")
			if err := os.WriteFile(file, r.rules(t, alert, a.also), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.CommandContext(t.Context(), promtool, "test", "rules", file).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s\n%s", err, out, r.matchingSeries("awsmigrate_stalled", "awsmigrate_reverted", "awsmigrate_brakes", "awsmigrate_step_last", "awsmigrate_awaiting", "awsmigrate_leader"))
			}
		})
	}
}

// hasMovement reports whether a series of a metric started or changed, and differs at the end.
func (r *scraped) hasMovement(metric string) bool {
	for name, values := range r.series {
		if !strings.HasPrefix(name, metric) {
			continue
		}
		if last := values[len(values)-1]; slices.ContainsFunc(values, func(v string) bool { return v != last }) {
			return true
		}
	}
	return false
}

// matchingSeries returns the recorded series with one of the names.
func (r *scraped) matchingSeries(names ...string) string {
	var b strings.Builder
	for name, values := range r.series {
		if slices.ContainsFunc(names, func(one string) bool { return strings.HasPrefix(name, one) }) {
			fmt.Fprintf(&b, "%s %s\n", name, strings.Join(values, " "))
		}
	}
	return b.String()
}

// rules returns the file that plays the recording.
func (r *scraped) rules(t *testing.T, alert string, also []string) []byte {
	t.Helper()
	rules, err := filepath.Abs("../../charts/awsmigrate/files/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	played := playedTest{Name: alert, Interval: r.every.String()}
	for name, values := range r.series {
		played.InputSeries = append(played.InputSeries, inputs{name, strings.Join(values, " ")})
	}
	firing := func(names string) string { return `count(ALERTS{alertstate="firing",alertname` + names + `})` }
	end := (time.Duration(r.scrapes-1) * r.every).String()
	played.Exprs = []exprResult{
		{fmt.Sprintf("changes((%s or vector(0))[%s:%s])", firing(`="`+alert+`"`), end, r.every), end, []sample{{"{}", 2}}},
		{fmt.Sprintf("%s or vector(0)", firing(`="`+alert+`"`)), end, []sample{{"{}", 0}}},
		{fmt.Sprintf("sum_over_time((%s or vector(0))[%s:%s])", firing(`!~"`+strings.Join(append(also, alert), "|")+`"`), end, r.every), end, []sample{{"{}", 0}}},
	}
	text, err := yaml.Marshal(ruleTest{[]string{rules}, r.every.String(), []playedTest{played}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
