package runlog

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

var update = flag.Bool("update", false, "write the golden files anew")

func read(t *testing.T, text string, f Filter) []Line {
	t.Helper()
	var lines []Line
	if err := Read(strings.NewReader(text), f, func(l Line) error { lines = append(lines, l); return nil }); err != nil {
		t.Fatal(err)
	}
	return lines
}

func sample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/controller.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGolden(t *testing.T) {
	var got strings.Builder
	for _, l := range read(t, sample(t), Filter{Namespace: "fleet-default", Cluster: "prod"}) {
		got.WriteString(l.Text())
	}
	const path = "testdata/prod.txt"
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s: want (-), got (+):\n%s", path, diff)
	}
}

// The sample has every event of a run, so that the golden file shows how each reads.
func TestSampleHasEveryEvent(t *testing.T) {
	for _, event := range []runner.EventType{
		runner.RunStarted, runner.LockTaken, runner.StepDone, runner.StepSkipped, runner.StepStarted, runner.StepWaiting, runner.StepWarning,
		runner.StepFinished, runner.StepFailed, runner.BrakePulled, runner.Interrupting, runner.RunFinished,
	} {
		if !strings.Contains(sample(t), `"event":"`+string(event)+`"`) {
			t.Errorf("the sample lacks %s", event)
		}
	}
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		filter Filter
		want   int
	}{
		{Filter{}, 18},
		{Filter{Cluster: "prod"}, 17},
		{Filter{Namespace: "fleet-default", Cluster: "prod"}, 16},
		{Filter{Namespace: "team-a", Cluster: "prod"}, 1},
		{Filter{Namespace: "fleet-default", Cluster: "prod", Run: "run-3"}, 3},
		{Filter{Namespace: "fleet-default", Cluster: "prod", Run: "run-9"}, 0},
		{Filter{Cluster: "pro"}, 0},
	} {
		if got := len(read(t, sample(t), tt.filter)); got != tt.want {
			t.Errorf("%+v: %d lines, wanted %d", tt.filter, got, tt.want)
		}
	}
}

// What is no line of the controller is left out, however long it is, and the line behind
// it is not lost.
func TestOtherLines(t *testing.T) {
	const ours = `{"time":"2024-05-01T12:00:00Z","msg":"ours","cluster":"prod"}`
	for name, text := range map[string]string{
		"nothing":         "",
		"trace":           "goroutine 1 [running]:\n",
		"half a line":     `{"time":"2024-05-01T12:00:00Z","cluster":"prod"` + "\n",
		"other types":     `{"cluster":["prod"]}` + "\n" + `["prod"]` + "\n",
		"no cluster":      `{"msg":"a"}` + "\n",
		"a long one":      `{"cluster":"prod","msg":"` + strings.Repeat("a", 3*longest) + `"}` + "\n",
		"exactly as long": strings.Repeat("a", longest-1) + "\n",
	} {
		if got := read(t, text+ours, Filter{}); len(got) != 1 || got[0].Message != "ours" {
			t.Errorf("%s: %d lines", name, len(got))
		}
		if got := read(t, text, Filter{}); len(got) != 0 {
			t.Errorf("%s alone: %d lines", name, len(got))
		}
	}
}

func TestReadEndsWhereNobodyTakesLines(t *testing.T) {
	closed := errors.New("closed")
	count := 0
	err := Read(strings.NewReader(sample(t)), Filter{}, func(Line) error { count++; return closed })
	if !errors.Is(err, closed) || count != 1 {
		t.Errorf("%v after %d lines", err, count)
	}
}

// FuzzRead: whatever others put into a log, a line for people is one line for each text
// in it, without control characters.
func FuzzRead(f *testing.F) {
	f.Add(`{"cluster":"prod","event":"step-waiting","seen":"\u001b[2J"}`)
	f.Add(`{"cluster":"prod","msg":"a\nb","lines":["c\r\nd"],"seconds":1e300}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range read(t, text, Filter{}) {
			shown := l.Text()
			if strings.Count(shown, "\n") != 1+len(l.Lines) || strings.ContainsAny(shown, "\x1b\r\x00") {
				t.Errorf("%q", shown)
			}
		}
	})
}
