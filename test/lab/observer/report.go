package observer

import (
	"fmt"
	"sort"
	"time"
)

// Window is the interval that is judged.
type Window struct{ Since, Until time.Time }

// Report holds the observations in a window.
type Report struct {
	Since       time.Time    `json:"since"`
	Until       time.Time    `json:"until"`
	Controllers []Controller `json:"controllers"`
	// Unexplained holds calls outside every observed interval: a process wrote although none
	// ran.
	Unexplained []Unexplained `json:"unexplainedCalls"`
	// Blind lists the evidence that could not be read. If it is not empty, "no overlap" is not
	// proven.
	Blind []string `json:"blind"`
}

// Controller is the history of one controller.
type Controller struct {
	Name      string     `json:"name"`
	Intervals []Interval `json:"intervals"`
	Overlaps  []Overlap  `json:"overlaps"`
	Gaps      []Gap      `json:"gaps"`
}

// Interval is the time in which one process ran the controller, limited to the window.
type Interval struct {
	Process Process   `json:"process"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Running bool      `json:"running"` // at the end of the window
}

// Overlap is an interval in which two processes ran the controller.
type Overlap struct {
	First   Process   `json:"first"`
	Second  Process   `json:"second"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Seconds float64   `json:"seconds"`
}

// Gap is an interval without a process for the controller, after one has run it.
type Gap struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Seconds float64   `json:"seconds"`
	Before  Process   `json:"before"`          // the last process that ran it
	After   *Process  `json:"after,omitempty"` // who took over; none: the gap is open
	// Declined is a process that has reported since, in an open gap, that it is configured not
	// to run the controller.
	Declined *Process `json:"declined,omitempty"`
}

// Unexplained is an AWS call of a controller's kind, by a process that did not run the
// controller.
type Unexplained struct {
	Time    time.Time `json:"time"`
	Caller  string    `json:"caller"`
	Call    string    `json:"call"`
	Because string    `json:"because"`
}

// Overlapping reports whether two processes ran one controller at once, or a call shows that
// one ran unseen.
func (r Report) Overlapping() bool {
	for _, c := range r.Controllers {
		if len(c.Overlaps) > 0 {
			return true
		}
	}
	return len(r.Unexplained) > 0
}

// callSlack is the time after the exit of its process for which a call may still be recorded,
// because it was in flight.
const callSlack = time.Second

// Judge computes the report. The events may be in any order.
func Judge(events []Event, window Window) Report {
	events = append([]Event(nil), events...)
	sort.SliceStable(events, func(i, j int) bool { return events[i].Time.Before(events[j].Time) })

	all := map[string][]Interval{}
	open := map[string]map[Process]int{} // controller, process → index in all
	declined := map[string][]Event{}
	for _, e := range events {
		switch e.Kind {
		case ControllerStarted:
			if _, again := open[e.Controller][e.Process]; again {
				continue
			}
			if open[e.Controller] == nil {
				open[e.Controller] = map[Process]int{}
			}
			open[e.Controller][e.Process] = len(all[e.Controller])
			all[e.Controller] = append(all[e.Controller], Interval{Process: e.Process, From: e.Time, Running: true})
		case ProcessExited:
			for controller, processes := range open {
				if i, ok := processes[e.Process]; ok {
					all[controller][i].To, all[controller][i].Running = e.Time, false
					delete(processes, e.Process)
				}
			}
		case ControllerDeclined:
			declined[e.Controller] = append(declined[e.Controller], e)
		case ProcessStarted, AWSCall: // no bound of an interval
		}
	}

	r := Report{Since: window.Since, Until: window.Until, Unexplained: findUnexplained(events, all, window)}
	for _, name := range Controllers() {
		c := judgeOne(name, all[name], window)
		whoDeclined(c.Gaps, declined[name], window)
		r.Controllers = append(r.Controllers, c)
	}
	return r
}

func judgeOne(name string, intervals []Interval, window Window) Controller {
	c := Controller{Name: name, Intervals: []Interval{}, Overlaps: []Overlap{}, Gaps: []Gap{}}
	for _, i := range intervals {
		if i.Running {
			i.To = window.Until
		}
		if i.To.After(window.Until) {
			i.To, i.Running = window.Until, true
		}
		c.Intervals = append(c.Intervals, i)
	}
	c.Overlaps = overlaps(c.Intervals, window)
	c.Gaps = gaps(c.Intervals, window)

	inside := c.Intervals[:0]
	for _, i := range c.Intervals {
		i.From = later(i.From, window.Since)
		if i.From.Before(i.To) {
			inside = append(inside, i)
		}
	}
	c.Intervals = inside
	return c
}

func overlaps(intervals []Interval, window Window) []Overlap {
	out := []Overlap{}
	for i, a := range intervals {
		for _, b := range intervals[i+1:] {
			from := later(later(a.From, b.From), window.Since)
			to := earlier(a.To, b.To)
			if from.Before(to) {
				out = append(out, Overlap{First: a.Process, Second: b.Process, From: from, To: to, Seconds: to.Sub(from).Seconds()})
			}
		}
	}
	return out
}

// gaps returns the gaps between the intervals, which are sorted by their start.
func gaps(intervals []Interval, window Window) []Gap {
	out := []Gap{}
	add := func(from, to time.Time, before Process, after *Process) {
		from, to = later(from, window.Since), earlier(to, window.Until)
		if from.Before(to) {
			out = append(out, Gap{From: from, To: to, Seconds: to.Sub(from).Seconds(), Before: before, After: after})
		}
	}
	var covered time.Time
	var last Process
	for n, i := range intervals {
		if n > 0 && covered.Before(i.From) {
			after := i.Process
			add(covered, i.From, last, &after)
		}
		if i.To.After(covered) {
			covered, last = i.To, i.Process
		}
	}
	if len(intervals) > 0 {
		add(covered, window.Until, last, nil)
	}
	return out
}

// whoDeclined records in an open gap the last process that declined the controller.
func whoDeclined(gaps []Gap, declined []Event, window Window) {
	for i := range gaps {
		for _, e := range declined {
			if gaps[i].After == nil && !e.Time.Before(gaps[i].From) && !e.Time.After(window.Until) {
				by := e.Process
				gaps[i].Declined = &by
			}
		}
	}
}

func findUnexplained(events []Event, all map[string][]Interval, window Window) []Unexplained {
	out := []Unexplained{}
	for _, e := range events {
		if e.Kind != AWSCall || e.Time.Before(window.Since) || e.Time.After(window.Until) || isExplained(e, all[e.Controller]) {
			continue
		}
		out = append(out, Unexplained{
			Time: e.Time, Caller: e.Process.Name, Call: e.Detail,
			Because: fmt.Sprintf("no log line says that %s ran controller %s then", e.Process.Name, e.Controller),
		})
	}
	return out
}

func isExplained(call Event, intervals []Interval) bool {
	for _, i := range intervals {
		if (i.Process.Name == call.Process.Name || i.Process.Node == call.Process.Name) && !call.Time.Before(i.From) &&
			(i.Running || !call.Time.After(i.To.Add(callSlack))) {
			return true
		}
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
