package sim

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

func TestCleanRunRKE(t *testing.T) { clean(t, NewRKE()) }
func TestCleanRun(t *testing.T)    { clean(t, NewRKE2()) }

func clean(t *testing.T, w *World) {
	for _, r := range []Run{{ID: "run-1"}, {ID: "run-2", Undo: true}} {
		begin := time.Now()
		synctest.Test(t, func(t *testing.T) {
			r.Sink = runner.SinkFunc(func(e runner.Event) {
				if testing.Verbose() && (e.Type == "step-finished" || e.Err != nil) {
					t.Logf("%s %s %s %s %v %v", e.Time.Format("15:04:05"), e.Type, e.Step, e.Message, e.Waiting, e.Err)
				}
			})
			ended := r.On(t.Context(), w)
			t.Logf("%d calls, %d writes, %v", ended.Calls, ended.Writes, ended.Err)
			t.Logf("%v longest gap %s", w.Violations(), w.monitor.longest)
		})
		t.Log(time.Since(begin))
	}
}
