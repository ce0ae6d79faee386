package proc_test

import (
	"os/exec"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// A process that another program started is recorded from its start to its end, and is not ended
// with the supervisor.
func TestFollow(t *testing.T) {
	s, dir := supervisor(t)
	foreign := exec.Command("sleep", "600")
	begun := time.Now()
	if err := foreign.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = foreign.Process.Kill(), foreign.Wait() })
	p, err := s.Follow(t.Context(), proc.Spec{Name: "one", Kind: "shell", Node: "n1", InnerPID: 1}, foreign.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if off := p.Started.Sub(begun).Abs(); off > time.Second {
		t.Errorf("started %s away from its start", off)
	}
	if !p.Running() || !proc.Alive(dir, foreign.Process.Pid) {
		t.Error("a running process counts as ended")
	}
	if err := foreign.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = foreign.Wait()
	wait(t, p.Done())
	got := records(t, dir)
	if len(got) != 2 || got[0].InnerPID != 1 || got[0].PID != foreign.Process.Pid || got[1].Event != proc.Exit || got[1].ExitCode != nil {
		t.Errorf("records %+v, wanted a start and an end without code", got)
	}
	if _, err := s.Follow(t.Context(), proc.Spec{Name: "one"}, foreign.Process.Pid); err == nil {
		t.Error("an ended process is followed")
	}
}

func TestFollow_closed_left(t *testing.T) {
	s, _ := supervisor(t)
	foreign := exec.Command("sleep", "600")
	if err := foreign.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = foreign.Process.Kill(), foreign.Wait() })
	if _, err := s.Follow(t.Context(), proc.Spec{Name: "one"}, foreign.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := foreign.Process.Signal(nil); err == nil {
		t.Log("signal 0 is not supported")
	}
}
