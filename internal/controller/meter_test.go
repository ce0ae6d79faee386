package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// toldMeter records the calls of a Meter.
type toldMeter struct {
	mu   sync.Mutex
	all  []string
	over chan struct{} // has a value for each job that ended
}

func (m *toldMeter) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, fmt.Sprintf(format, args...))
}

func (m *toldMeter) Shown(key Key, s Shown) {
	m.note("%s shows %s %s of %s, before %s", key, s.State, s.Reason, s.Distribution, s.Before.Position)
}
func (m *toldMeter) Gone(key Key) { m.note("%s is gone", key) }
func (m *toldMeter) RolledOut(key Key, s *v1alpha1.MigrationRolloutStatus) {
	m.note("rollout %s shows %+v", key, s)
}
func (m *toldMeter) Began(key Key, w Work)            { m.note("%s began %+v", key, w) }
func (m *toldMeter) Happened(key Key, e runner.Event) { m.note("%s: %s", key, e.Type) }
func (m *toldMeter) Ended(key Key, err error)         { m.note("%s ended: %v", key, err); m.over <- struct{}{} }
func (m *toldMeter) want(t *testing.T, want ...string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if diff := cmp.Diff(want, m.all); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	m.all = nil
}

func metered(t *testing.T, log *slog.Logger) (*Controller, *toldMeter) {
	t.Helper()
	meter := &toldMeter{over: make(chan struct{}, 1)}
	c, err := New(Options{
		Config: &rest.Config{Host: "http://127.0.0.1:1"}, Namespaces: []string{"other"}, Log: log, Meter: meter,
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "all of them") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	c.work = t.Context()
	return c, meter
}

var elsewhere = Key{Namespace: "fleet-default", Name: "prod"} // of a namespace that this one does not watch: nothing is enqueued

// Start and end of any kind of job are reported, also after a panic.
func TestMeter_jobs_areReported(t *testing.T) {
	c, meter := metered(t, nil)
	k := c.cluster(elsewhere)
	for _, tt := range []struct {
		job  *job
		look *look
		work func(context.Context, *job) error
		want []string
	}{
		{&job{kind: kindLook}, nil, func(context.Context, *job) error { return nil },
			[]string{"fleet-default/prod began {Kind:look Undo:false Resumed:false}", "fleet-default/prod ended: <nil>"}},
		{&job{kind: kindRun, undo: true}, &look{}, func(context.Context, *job) error { return errors.New("broken") },
			[]string{"fleet-default/prod began {Kind:run Undo:true Resumed:false}", "fleet-default/prod ended: broken"}},
		{&job{kind: kindRun}, &look{seen: session.Assessment{Journal: journal.State{Runs: []journal.Run{{Outcome: "died"}, {Outcome: "guarded", Guard: true}}}}}, func(context.Context, *job) error { return nil },
			[]string{"fleet-default/prod began {Kind:run Undo:false Resumed:true}", "fleet-default/prod ended: <nil>"}},
		{&job{kind: kindGuard}, &look{seen: session.Assessment{UnderWay: "switch-provider"}}, func(context.Context, *job) error { return nil },
			[]string{"fleet-default/prod began {Kind:guard Undo:false Resumed:false}", "fleet-default/prod ended: <nil>"}},
	} {
		k.mu.Lock()
		k.look = tt.look
		c.begin(k, tt.job, tt.work)
		k.mu.Unlock()
		<-meter.over
		meter.want(t, tt.want...)
	}
	k.mu.Lock()
	c.begin(k, &job{kind: kindRun}, func(context.Context, *job) error { panic("of a run") })
	k.mu.Unlock()
	<-meter.over
	if len(meter.all) != 2 {
		t.Errorf("%q", meter.all)
	}
}

func TestMeter_objects_areReported(t *testing.T) {
	c, meter := metered(t, nil)
	if err := c.decide(elsewhere, nil); err != nil {
		t.Error(err)
	}
	meter.want(t, "fleet-default/prod is gone")
	k := &cluster{key: elsewhere, look: &look{target: session.Target{Kind: session.RKE2}}}
	m := &v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{Namespace: elsewhere.Namespace, Name: elsewhere.Name}, Status: v1alpha1.ClusterMigrationStatus{Position: "P2"}}
	c.measure(k, m, status.Moment{State: status.Stalled, Reason: status.Reverted}, v1alpha1.ClusterMigrationStatus{})
	meter.want(t, "fleet-default/prod shows Stalled Reverted of rke2, before P2")
}

// Events of a run have the log fields that docs/metrics.md documents, and reach the meter.
func TestSink_eventsOfARun_loggedByName(t *testing.T) {
	var log bytes.Buffer
	c, meter := metered(t, slog.New(slog.NewJSONHandler(&log, nil)))
	sink := c.sink(c.cluster(elsewhere), &job{kind: kindRun})
	for _, e := range []runner.Event{
		{Type: runner.RunStarted, Message: "run-1", Position: "P2"},
		{Type: runner.StepWaiting, Step: "verify", Waiting: &runner.Wait{For: "7 machines", Seen: "3 of 7"}},
		{Type: runner.StepDone, Step: "verify", Lines: []string{"all ok"}, Elapsed: time.Minute, Seconds: 60},
		{Type: runner.RunFinished, Message: "run-1", Position: "P3", Err: errors.New("broken")},
	} {
		sink.Emit(e)
	}
	meter.want(t, "fleet-default/prod: run-started", "fleet-default/prod: step-waiting", "fleet-default/prod: step-done", "fleet-default/prod: run-finished")
	var got []map[string]any
	for lines := json.NewDecoder(&log); lines.More(); {
		var line map[string]any
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		delete(line, "time")
		got = append(got, line)
	}
	line := func(level, message, event string, more map[string]any) map[string]any {
		all := map[string]any{"level": level, "msg": message, "namespace": "fleet-default", "cluster": "prod", "run": "run-1", "event": event}
		maps.Copy(all, more)
		return all
	}
	want := []map[string]any{
		line("INFO", "run-1", "run-started", map[string]any{"position": "P2"}),
		line("INFO", "step-waiting", "step-waiting", map[string]any{"step": "verify", "waitingFor": "7 machines", "seen": "3 of 7"}),
		line("INFO", "step-done", "step-done", map[string]any{"step": "verify", "lines": []any{"all ok"}, "seconds": 60.0}),
		line("ERROR", "run-1", "run-finished", map[string]any{"position": "P3", "error": "broken"}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestHandler_metrics_areServed(t *testing.T) {
	c, _ := metered(t, nil)
	for _, want := range []int{http.StatusOK, http.StatusNotFound} {
		answer := httptest.NewRecorder()
		c.handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if answer.Code != want {
			t.Errorf("%d, wanted %d", answer.Code, want)
		}
		c.o.Metrics = nil
	}
}
