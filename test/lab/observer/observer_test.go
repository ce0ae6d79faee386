package observer

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var epoch = time.Date(2024, 3, 4, 10, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time {
	return epoch.Add(time.Duration(seconds * float64(time.Second)))
}

var (
	kcm0 = Process{Name: "kube-controller-manager@cp-0", Kind: "kube-controller-manager", Node: "cp-0", PID: 10}
	kcm1 = Process{Name: "kube-controller-manager@cp-1", Kind: "kube-controller-manager", Node: "cp-1", PID: 11}
	ccm0 = Process{Name: "cloud-controller-manager@cp-0", Kind: "cloud-controller-manager", Node: "cp-0", PID: 20}
)

func starts(p Process, seconds float64, controllers ...string) []Event {
	out := []Event{}
	for _, c := range controllers {
		out = append(out, Event{Time: at(seconds), Kind: ControllerStarted, Process: p, Controller: c})
	}
	return out
}

func declines(p Process, seconds float64, controller string) []Event {
	return []Event{{Time: at(seconds), Kind: ControllerDeclined, Process: p, Controller: controller}}
}

func exits(p Process, seconds float64) []Event {
	return []Event{{Time: at(seconds), Kind: ProcessExited, Process: p}}
}

func calls(p Process, seconds float64, controller string) []Event {
	return []Event{{Time: at(seconds), Kind: AWSCall, Process: Process{Name: p.Name}, Controller: controller, Detail: "elb:CreateLoadBalancer"}}
}

func events(groups ...[]Event) []Event {
	var out []Event
	for _, g := range groups {
		out = append(out, g...)
	}
	return out
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name     string
		events   []Event
		window   Window
		overlaps []Overlap
		gaps     []Gap
		calls    int
	}{
		{
			name:   "a clean hand-over is a gap",
			events: events(starts(kcm0, 0, Service), exits(kcm0, 10), starts(ccm0, 28, Service)),
			gaps:   []Gap{{From: at(10), To: at(28), Seconds: 18, Before: kcm0, After: &ccm0}},
		},
		{
			name:     "two managers",
			events:   events(starts(kcm0, 0, Service), starts(ccm0, 5, Service), exits(kcm0, 30)),
			overlaps: []Overlap{{First: kcm0, Second: ccm0, From: at(5), To: at(30), Seconds: 25}},
		},
		{
			name: "a frozen holder has not exited: it overlaps until it is killed",
			events: events(starts(kcm0, 0, Service), // SIGSTOP at 10 is no event
				starts(kcm1, 26, Service), exits(kcm0, 60)),
			overlaps: []Overlap{{First: kcm0, Second: kcm1, From: at(26), To: at(60), Seconds: 34}},
		},
		{
			name:     "a deleted lease: the old holder goes on until its renew deadline",
			events:   events(starts(kcm0, 0, Service), starts(ccm0, 20.5, Service), exits(kcm0, 30)),
			overlaps: []Overlap{{First: kcm0, Second: ccm0, From: at(20.5), To: at(30), Seconds: 9.5}},
		},
		{
			name:   "exit and start at one moment touch, no more",
			events: events(starts(kcm0, 0, Service), exits(kcm0, 10), starts(ccm0, 10, Service)),
		},
		{
			name: "three at once are three pairs",
			events: events(starts(kcm0, 0, Service), starts(kcm1, 10, Service), starts(ccm0, 20, Service),
				exits(kcm0, 30), exits(kcm1, 40)),
			overlaps: []Overlap{
				{First: kcm0, Second: kcm1, From: at(10), To: at(30), Seconds: 20},
				{First: kcm0, Second: ccm0, From: at(20), To: at(30), Seconds: 10},
				{First: kcm1, Second: ccm0, From: at(20), To: at(40), Seconds: 20},
			},
		},
		{
			name:   "different controllers do not overlap",
			events: events(starts(kcm0, 0, Service), starts(ccm0, 5, Lifecycle)),
		},
		{
			name:   "an open gap",
			events: events(starts(kcm0, 0, Service), exits(kcm0, 70)),
			gaps:   []Gap{{From: at(70), To: at(100), Seconds: 30, Before: kcm0}},
		},
		{
			name:   "an open gap that was configured",
			events: events(declines(kcm1, 5, Service), starts(kcm0, 0, Service), exits(kcm0, 70), declines(ccm0, 80, Service), declines(ccm0, 85, Lifecycle)),
			gaps:   []Gap{{From: at(70), To: at(100), Seconds: 30, Before: kcm0, Declined: &ccm0}},
		},
		{
			name:   "declined only before another process's end",
			events: events(declines(ccm0, 20, Service), starts(kcm0, 0, Service), exits(kcm0, 70)),
			gaps:   []Gap{{From: at(70), To: at(100), Seconds: 30, Before: kcm0}},
		},
		{
			name:   "a short life inside a long one does not end the cover",
			events: events(starts(kcm0, 0, Service), starts(kcm1, 10, Service), exits(kcm1, 20)),
			overlaps: []Overlap{
				{First: kcm0, Second: kcm1, From: at(10), To: at(20), Seconds: 10},
			},
		},
		{
			name:     "the window cuts",
			events:   events(starts(kcm0, 0, Service), starts(ccm0, 5, Service), exits(kcm0, 30), exits(ccm0, 50)),
			window:   Window{Since: at(20), Until: at(60)},
			overlaps: []Overlap{{First: kcm0, Second: ccm0, From: at(20), To: at(30), Seconds: 10}},
			gaps:     []Gap{{From: at(50), To: at(60), Seconds: 10, Before: ccm0}},
		},
		{
			name:   "what lies outside the window is not judged",
			events: events(starts(kcm0, 0, Service), starts(ccm0, 5, Service), exits(kcm0, 30)),
			window: Window{Since: at(31), Until: at(60)},
		},
		{
			name:   "a call by who ran it is explained, also just after the exit",
			events: events(starts(kcm0, 0, Service), calls(kcm0, 5, Service), exits(kcm0, 10), calls(kcm0, 10.2, Service), starts(ccm0, 10.5, Service)),
			gaps:   []Gap{{From: at(10), To: at(10.5), Seconds: 0.5, Before: kcm0, After: &ccm0}},
		},
		{
			name:   "a call by who did not is evidence of a second writer",
			events: events(starts(kcm0, 0, Service), calls(ccm0, 5, Service)),
			calls:  1,
		},
		{
			name:   "a restart under the same name needs its own start line",
			events: events(starts(kcm0, 0, Service), exits(kcm0, 10), starts(ccm0, 10, Service), calls(kcm0, 15, Service)),
			calls:  1,
		},
		{name: "nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			window := test.window
			if window.Until.IsZero() {
				window = Window{Since: epoch, Until: at(100)}
			}
			r := Judge(test.events, window)
			if len(r.Unexplained) != test.calls {
				t.Errorf("unexplained calls %v, wanted %d", r.Unexplained, test.calls)
			}
			c := r.Controllers[0]
			if c.Name != Service {
				t.Fatalf("the first controller is %s", c.Name)
			}
			if diff := cmp.Diff(append([]Overlap{}, test.overlaps...), c.Overlaps); diff != "" {
				t.Errorf("overlaps (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(append([]Gap{}, test.gaps...), c.Gaps); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
			if want := len(test.overlaps) > 0 || test.calls > 0; r.Overlapping() != want {
				t.Errorf("Overlapping() = %v, wanted %v", r.Overlapping(), want)
			}
			var text bytes.Buffer
			if err := r.Print(&text); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(text.String(), "OVERLAP"); got != (len(test.overlaps) > 0) {
				t.Errorf("the text shows an overlap: %v\n%s", got, text.String())
			}
		})
	}
}

// The logs in testdata are lines of real runs, in UTC: the in-tree holder with the flag and
// without routes, cloud controller manager v1.26.0 that waited and then led, v1.28.1 without
// leader migration and with routes.
func TestRealLogs(t *testing.T) {
	for _, test := range []struct {
		file string
		pid  int
		want []string
	}{
		{"kcm-v1.26.log", 7378, []string{"09:36:02.492 service", "09:36:02.492 cloud-node-lifecycle", "09:36:02.493 route declined"}},
		{"ccm-v1.26.0.log", 7550, []string{"09:36:26.803 cloud-node-lifecycle", "09:36:26.803 service", "09:36:26.803 route declined"}},
		{"ccm-v1.28.1.log", 7556, []string{"09:36:37.403 cloud-node-lifecycle", "09:36:37.403 service", "09:36:37.403 route"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			raw, err := os.ReadFile("testdata/" + test.file)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Date(2026, 11, 21, 9, 35, 0, 0, time.UTC)
			other := &run{process: Process{PID: test.pid}, started: began.Add(-time.Hour), ended: began.Add(-time.Minute), exited: true}
			mine := &run{process: Process{PID: test.pid, Name: "mine"}, started: began}
			found, heard, err := scan(bytes.NewReader(raw), []*run{other, mine}, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			if !heard[mine] || heard[other] {
				t.Errorf("heard mine: %v, the earlier run with the same pid: %v", heard[mine], heard[other])
			}
			var got []string
			for _, e := range found {
				if e.Process != mine.process {
					t.Errorf("attributed to %+v", e.Process)
				}
				if e.Time.Year() != 2026 {
					t.Errorf("year %d", e.Time.Year())
				}
				what := e.Controller
				if e.Kind == ControllerDeclined {
					what += " declined"
				}
				got = append(got, e.Time.Format("15:04:05.000")+" "+what)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("start lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRouteThatLeavesAtOnceDoesNotCount(t *testing.T) {
	log := `I0304 10:00:01.000000      10 controllermanager.go:593] Starting "route"
I0304 10:00:01.000001      10 core.go:217] Will not configure cloud provider routes for allocate-node-cidrs: false, configure-cloud-routes: false.
I0304 10:00:01.000002      10 controllermanager.go:622] Started "route"
I0304 10:00:01.000003      10 controllermanager.go:622] Started "service"
I0304 10:00:01.000004      10 service.go:1] Started "cloud-node-lifecycle"
I0304 10:00:01.000005      99 controllermanager.go:622] Started "cloud-node-lifecycle"
`
	found, _, err := scan(strings.NewReader(log), []*run{{process: kcm0, started: epoch}}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].Kind != ControllerDeclined || found[0].Controller != Route || found[1].Kind != ControllerStarted || found[1].Controller != Service {
		t.Errorf("found %+v, wanted that route is declined and the service controller starts", found)
	}
}

func TestNewYear(t *testing.T) {
	eve := time.Date(2024, 12, 31, 23, 59, 58, 0, time.UTC)
	line, ok := parseLine(`I0101 00:00:03.000000      10 a.go:1] x`, eve, time.UTC)
	if !ok || !line.time.Equal(time.Date(2025, 1, 1, 0, 0, 3, 0, time.UTC)) {
		t.Errorf("read %v, %v", line.time, ok)
	}
	line, _ = parseLine(`I1231 23:59:58.000000      10 a.go:1] x`, eve.Add(time.Minute), time.UTC)
	if !line.time.Equal(eve) {
		t.Errorf("read %v", line.time)
	}
}

func TestCalls(t *testing.T) {
	record := `{"time":"2024-03-04T10:00:01Z","caller":"kube-controller-manager@cp-0","service":"elb","action":"DescribeLoadBalancers"}
{"time":"2024-03-04T10:00:02Z","caller":"operator","service":"elb","action":"DescribeLoadBalancers"}
{"time":"2024-03-04T10:00:03Z","caller":"kube-controller-manager@cp-0","service":"ec2","action":"DescribeInstances"}
{"time":"2024-03-04T10:00:04Z","caller":"kube-controller-manager@cp-0","service":"ec2","action":"CreateRoute","write":true}
{"time":"2024-03-04T10:0`
	got, err := parseCalls(strings.NewReader(record), map[string]bool{kcm0.Name: true})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, e := range got {
		seen = append(seen, e.Controller+" "+e.Detail)
	}
	if diff := cmp.Diff([]string{"service elb:DescribeLoadBalancers", "route ec2:CreateRoute"}, seen); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if _, err := parseCalls(strings.NewReader("x\n"), nil); err == nil {
		t.Error("a line that is no JSON was accepted")
	}
}

func TestBlindness(t *testing.T) {
	silent := &run{process: kcm0, started: epoch, log: "none"}
	brief := &run{process: kcm1, started: epoch, ended: at(2), exited: true}
	got := unreadable([]*run{silent, brief}, nil, at(60))
	if len(got) != 1 || !strings.Contains(got[0], kcm0.Name) {
		t.Errorf("blind: %q, wanted only %s", got, kcm0.Name)
	}
}
