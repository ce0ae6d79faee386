package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

// The controllers that the observer watches.
const (
	Service   = "service"
	Route     = "route"
	Lifecycle = "cloud-node-lifecycle"
)

// Observation holds the judged fields of the observer's report.
type Observation struct {
	Controllers []ControllerHistory `json:"controllers"`
	Unexplained []json.RawMessage   `json:"unexplainedCalls"`
	Blind       []string            `json:"blind"`
}

// ControllerHistory describes which processes ran one controller, and when.
type ControllerHistory struct {
	Name      string `json:"name"`
	Intervals []struct {
		Process ObservedProcess `json:"process"`
		From    time.Time       `json:"from"`
		To      time.Time       `json:"to"`
		Running bool            `json:"running"` // at the end of the window
	} `json:"intervals"`
	Overlaps []Overlap `json:"overlaps"`
	Gaps     []Gap     `json:"gaps"`
}

// ObservedProcess is one run of a program.
type ObservedProcess struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Node string `json:"node"`
	PID  int    `json:"pid"`
}

// Overlap describes two processes that ran one controller at once.
type Overlap struct {
	First   ObservedProcess `json:"first"`
	Second  ObservedProcess `json:"second"`
	Seconds float64         `json:"seconds"`
}

// Gap is an interval in which no process ran a controller.
type Gap struct {
	From    time.Time        `json:"from"`
	Seconds float64          `json:"seconds"`
	Before  ObservedProcess  `json:"before"`
	After   *ObservedProcess `json:"after"` // nil while the gap lasts
	// Declined is a process that reported in the gap that its configuration excludes the
	// controller, or nil.
	Declined *ObservedProcess `json:"declined"`
}

// Observe returns the observer's report since a time.
func (l *Lab) Observe(ctx context.Context, since time.Time) (Observation, string, error) {
	var report Observation
	args := []string{"observe", "--dir", l.Dir, "--since", since.UTC().Format(time.RFC3339Nano)}
	text, _ := exec.CommandContext(ctx, l.binary("lab"), args...).Output() // its exit code repeats the report
	raw, err := exec.CommandContext(ctx, l.binary("lab"), append(args, "--json")...).Output()
	if jsonErr := json.Unmarshal(raw, &report); jsonErr != nil {
		return report, string(text), fmt.Errorf("lab observe: %w (%w)", jsonErr, err)
	}
	return report, string(text), nil
}

// Overlaps counts overlaps and calls without an observed process.
func (o Observation) Overlaps() int {
	n := len(o.Unexplained)
	for _, c := range o.Controllers {
		n += len(c.Overlaps)
	}
	return n
}

// Of returns the history of one controller. It is empty for an unobserved name.
func (o Observation) Of(controller string) ControllerHistory {
	for _, c := range o.Controllers {
		if c.Name == controller {
			return c
		}
	}
	return ControllerHistory{}
}

// RunBy returns the processes that run a controller at the end of the window.
func (c ControllerHistory) RunBy() []ObservedProcess {
	var now []ObservedProcess
	for _, i := range c.Intervals {
		if i.Running {
			now = append(now, i.Process)
		}
	}
	return now
}

// OpenGap returns the gap at the end of the window, or nil if a process runs the controller.
func (c ControllerHistory) OpenGap() *Gap {
	for i := range c.Gaps {
		if c.Gaps[i].After == nil {
			return &c.Gaps[i]
		}
	}
	return nil
}
