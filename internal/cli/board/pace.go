package board

import (
	"maps"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// kind groups machines that take about the same time.
type kind struct {
	step  journal.StepID
	group runner.MachineGroup
}

// pace holds the durations of machines in this run by kind. A kind has durations only if a machine was
// observed from its beginning to its end.
type pace struct {
	took   map[kind][]time.Duration
	active map[string]activity // machines of the current step, by name
	read   bool                // whether a reading of the current step has shown machines
}

// activity describes how long a machine has been active.
type activity struct {
	since time.Time
	late  bool // active in the first reading: its beginning is not known
	over  bool // done since then
}

// begin forgets the machines of the previous step.
func (p pace) begin() pace {
	p.active, p.read = nil, false
	return p
}

// after returns the pace after another reading. It does not change p.
func (p pace) after(step journal.StepID, machines []runner.Machine, at time.Time) pace {
	if len(machines) == 0 {
		return p
	}
	active := maps.Clone(p.active)
	if active == nil {
		active = map[string]activity{}
	}
	for _, m := range machines {
		h, known := active[m.Name]
		switch {
		case m.State == runner.MachineChanging && (!known || h.over):
			active[m.Name] = activity{since: at, late: known || !p.read}
		case m.State == runner.MachineDone && known && !h.over:
			if !h.late {
				p.took = p.addDuration(kind{step, m.Group}, at.Sub(h.since))
			}
			h.over = true
			active[m.Name] = h
		}
	}
	p.active, p.read = active, true
	return p
}

func (p pace) addDuration(k kind, took time.Duration) map[kind][]time.Duration {
	next := maps.Clone(p.took)
	if next == nil {
		next = map[kind][]time.Duration{}
	}
	next[k] = append(slices.Clone(next[k]), took)
	return next
}

// since returns how long a machine has been active.
func (p pace) since(name string, now time.Time) time.Duration { return now.Sub(p.active[name].since) }

// maxDuration returns the longest duration of a kind, rounded up to ten seconds, or false.
func (p pace) maxDuration(k kind) (time.Duration, bool) {
	if len(p.took[k]) == 0 {
		return 0, false
	}
	const grain = 10 * time.Second
	return (slices.Max(p.took[k])/grain + 1) * grain, true
}

// estimateRest returns the approximate time for the machines that are not done, in sequence. It returns
// false unless every kind of them has a duration.
func (p pace) estimateRest(step journal.StepID, machines []runner.Machine, now time.Time) (time.Duration, bool) {
	rest, pending := time.Duration(0), false
	for _, m := range machines {
		if m.State == runner.MachineDone {
			continue
		}
		took := p.took[kind{step, m.Group}]
		if len(took) == 0 || m.State == runner.MachineUnseen {
			return 0, false
		}
		pending = true
		one := mean(took)
		if m.State == runner.MachineChanging {
			one = max(one-p.since(m.Name, now), 0)
		}
		rest += one
	}
	return rest, pending
}

func mean(all []time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, one := range all {
		sum += one
	}
	return sum / time.Duration(len(all))
}
