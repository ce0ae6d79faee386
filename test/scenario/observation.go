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

// Observation is the observer's report, as far as it is judged here.
type Observation struct {
	Controllers []ControllerHistory `json:"controllers"`
	Unexplained []json.RawMessage   `json:"unexplainedCalls"`
	Blind       []string            `json:"blind"`
}

// ControllerHistory says who ran one controller when.
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

// Overlap is two processes running one controller at once.
type Overlap struct {
	First   ObservedProcess `json:"first"`
	Second  ObservedProcess `json:"second"`
	Seconds float64         `json:"seconds"`
}

// Gap is a stretch in which nobody ran a controller.
type Gap struct {
	From    time.Time        `json:"from"`
	Seconds float64          `json:"seconds"`
	Before  ObservedProcess  `json:"before"`
	After   *ObservedProcess `json:"after"` // nil: nobody runs it yet
	// Declined is who said in the gap that it is configured not to run the controller.
	Declined *ObservedProcess `json:"declined"`
}

// Observe asks the observer what happened since a time.
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

// Overlaps counts overlaps and calls that no observed process explains.
func (o Observation) Overlaps() int {
	n := len(o.Unexplained)
	for _, c := range o.Controllers {
		n += len(c.Overlaps)
	}
	return n
}

// Of is the history of one controller; a name that is not observed has none.
func (o Observation) Of(controller string) ControllerHistory {
	for _, c := range o.Controllers {
		if c.Name == controller {
			return c
		}
	}
	return ControllerHistory{}
}

// RunBy are the processes that run a controller at the end of the window.
func (c ControllerHistory) RunBy() []ObservedProcess {
	var now []ObservedProcess
	for _, i := range c.Intervals {
		if i.Running {
			now = append(now, i.Process)
		}
	}
	return now
}

// OpenGap is the gap that nobody has ended, nil if somebody runs the controller.
func (c ControllerHistory) OpenGap() *Gap {
	for i := range c.Gaps {
		if c.Gaps[i].After == nil {
			return &c.Gaps[i]
		}
	}
	return nil
}
