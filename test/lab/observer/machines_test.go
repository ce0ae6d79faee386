package observer

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// On real machines the processes of one component have the same ID in one log, and AWS knows the
// machine of a caller only.
func TestCollect_realMachines(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "kcm.log")
	moment := func(second int) time.Time { return time.Date(2026, 11, 27, 9, 0, second, 0, time.Local) }
	started := func(second int) string {
		return fmt.Sprintf("I%s       1 controllermanager.go:622] Started \"service\"\n", moment(second).Format("0102 15:04:05.000000"))
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(log, started(11)+started(31))
	record := func(second int, event string, pid int) string {
		return fmt.Sprintf(`{"time":%q,"event":%q,"name":"kube-controller-manager@n1","kind":"kube-controller-manager","node":"n1","pid":%d,"innerPid":1,"log":%q}`+"\n",
			moment(second).Format(time.RFC3339Nano), event, pid, log)
	}
	write(filepath.Join(dir, proc.RecordFile), record(10, proc.Start, 901)+record(20, proc.Exit, 901)+record(30, proc.Start, 902)+record(40, proc.Exit, 902))
	call := func(second int) string {
		return fmt.Sprintf(`{"time":%q,"caller":"n1","service":"elb","action":"CreateLoadBalancer"}`+"\n", moment(second).Format(time.RFC3339Nano))
	}
	write(filepath.Join(dir, AWSFile), call(15)+call(25))

	report, err := Observe(dir, Window{}, moment(50))
	if err != nil {
		t.Fatal(err)
	}
	intervals := report.Controllers[0].Intervals
	if len(intervals) != 2 || intervals[0].Process.PID != 901 || intervals[1].Process.PID != 902 || !intervals[1].From.Equal(moment(31)) {
		t.Errorf("intervals %+v, wanted one of each process", intervals)
	}
	if len(report.Unexplained) != 1 || !report.Unexplained[0].Time.Equal(moment(25)) {
		t.Errorf("unexplained calls %+v, wanted the one while no process ran", report.Unexplained)
	}
}
