package realkubelet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/test/realkubelet"
)

var zero = time.Date(2026, 11, 25, 8, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return zero.Add(time.Duration(seconds * float64(time.Second)))
}

func shown(seconds float64, p record.Pod, containers ...record.Container) record.Entry {
	p.Containers = containers
	return record.Entry{At: at(seconds), Pod: &p}
}

func ended(id string) record.Container {
	return record.Container{ID: "containerd://" + id, State: record.Terminated, Finished: zero, Exit: 137, Reason: "Error"}
}

func running(id string) record.Container {
	return record.Container{ID: "containerd://" + id, State: record.Running, Started: zero}
}

// Unsound finds a wrong rule: a shown end of a running container, or of one never seen.
func TestUnsound(t *testing.T) {
	gone := realkubelet.Process{PID: 7, Container: "a", Seen: at(-10), Ended: at(0)}
	invented := record.Container{State: record.Terminated, Exit: 137, Reason: "ContainerStatusUnknown"}
	for name, tt := range map[string]struct {
		entries   []record.Entry
		processes []realkubelet.Process
		wrong     string // empty if the rule is right
	}{
		"shown after the end":       {[]record.Entry{shown(0.5, record.Pod{}, ended("a"))}, []realkubelet.Process{gone}, ""},
		"shown before the end":      {[]record.Entry{shown(-0.5, record.Pod{}, ended("a"))}, []realkubelet.Process{gone}, "while process 7 runs"},
		"shown of a running one":    {[]record.Entry{shown(0.5, record.Pod{}, ended("a"))}, []realkubelet.Process{{PID: 8, Container: "a", Seen: at(-10)}}, "while process 8 runs"},
		"shown as the previous one": {[]record.Entry{shown(-0.5, record.Pod{}, ended("a"), running("b"))}, []realkubelet.Process{gone}, "while process 7 runs"},
		"of a container unseen":     {[]record.Entry{shown(0.5, record.Pod{}, ended("b"))}, []realkubelet.Process{gone}, "never seen running"},
		"invented":                  {[]record.Entry{shown(-0.5, record.Pod{}, invented)}, []realkubelet.Process{gone}, ""},
		"running":                   {[]record.Entry{shown(0.5, record.Pod{}, running("a"))}, []realkubelet.Process{gone}, ""},
	} {
		wrong := realkubelet.Story{Entries: tt.entries, Processes: tt.processes}.Unsound()
		if len(wrong) > 1 || (len(wrong) == 0) != (tt.wrong == "") || !strings.Contains(strings.Join(wrong, ""), tt.wrong) {
			t.Errorf("%s: %q, want %q", name, wrong, tt.wrong)
		}
	}
}

func TestStory(t *testing.T) {
	story := realkubelet.Story{
		Entries: []record.Entry{
			shown(-5, record.Pod{UID: "1", Ready: true}, running("a")),
			shown(1, record.Pod{UID: "1"}, ended("a")),
			shown(2, record.Pod{UID: "1", Ready: true}, ended("a"), running("b")),
			shown(2.5, record.Pod{UID: "1", Ready: true}, ended("a"), running("b")),
			shown(3, record.Pod{UID: "1", Gone: true}),
			shown(4, record.Pod{UID: "2"}, record.Container{State: record.Waiting, Reason: "CrashLoopBackOff"}),
		},
		Processes: []realkubelet.Process{{Container: "a", Seen: at(-9), Ended: at(0)}, {Container: "b", Seen: at(-1.5), Ended: at(3)}},
	}
	want := "1.0 s: pod, A terminated, exit 137, not Ready; 2.0 s: pod, before it A terminated, exit 137, B running, Ready; " +
		"3.0 s: pod is gone; 4.0 s: pod 2, waiting CrashLoopBackOff, not Ready"
	if got := story.States(zero, zero); got != want {
		t.Errorf("states:\n%s\nwant:\n%s", got, want)
	}
	if got, want := story.Ran(zero), "A until 0.0 s; B until 3.0 s; two at once for 1.5 s"; got != want {
		t.Errorf("ran %q, want %q", got, want)
	}
	if got, is := story.EndShown("a"); !is || !got.Equal(at(1)) {
		t.Errorf("the end of a was shown at %s, %t", got, is)
	}
	if got, is := story.ReadyIn("b"); !is || !got.Equal(at(2)) {
		t.Errorf("b was Ready at %s, %t", got, is)
	}
	if _, is := story.EndShown("b"); is {
		t.Error("the end of b was never shown")
	}
	if !slices.ContainsFunc(strings.Split(realkubelet.Table([]realkubelet.Row{{What: "a", Shown: "b", Ran: "c"}}), "\n"),
		func(line string) bool { return line == "| a | b | c |" }) {
		t.Error("a row is missing in the table")
	}
}
