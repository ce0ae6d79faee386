package board

import (
	"maps"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// kind is machines that take about as long as one another.
type kind struct {
	step  journal.StepID
	group runner.MachineGroup
}

// pace is how long machines were seen to take in this run, by their kind. Nothing is
// known of a kind of which none was seen from its beginning to its end.
type pace struct {
	took  map[kind][]time.Duration
	hands map[string]hand // machines of the step in hand, by name
	read  bool            // a reading of the step in hand has shown machines
}

// hand is since when a machine is seen in hand.
type hand struct {
	since time.Time
	late  bool // it was so in the first reading: since when is not known
	over  bool // it was done since
}

// begin forgets the machines of the step before.
func (p pace) begin() pace {
	p.hands, p.read = nil, false
	return p
}

// after is what is known after another reading. It leaves p as it was.
func (p pace) after(step journal.StepID, machines []runner.Machine, at time.Time) pace {
	if len(machines) == 0 {
		return p
	}
	hands := maps.Clone(p.hands)
	if hands == nil {
		hands = map[string]hand{}
	}
	for _, m := range machines {
		h, known := hands[m.Name]
		switch {
		case m.State == runner.MachineInHand && (!known || h.over):
			hands[m.Name] = hand{since: at, late: known || !p.read}
		case m.State == runner.MachineDone && known && !h.over:
			if !h.late {
				p.took = p.measured(kind{step, m.Group}, at.Sub(h.since))
			}
			h.over = true
			hands[m.Name] = h
		}
	}
	p.hands, p.read = hands, true
	return p
}

func (p pace) measured(k kind, took time.Duration) map[kind][]time.Duration {
	next := maps.Clone(p.took)
	if next == nil {
		next = map[kind][]time.Duration{}
	}
	next[k] = append(slices.Clone(next[k]), took)
	return next
}

// since is how long a machine is in hand.
func (p pace) since(name string, now time.Time) time.Duration { return now.Sub(p.hands[name].since) }

// usually is what no machine of a kind took longer than, in whole tens of seconds.
func (p pace) usually(k kind) (time.Duration, bool) {
	if len(p.took[k]) == 0 {
		return 0, false
	}
	const grain = 10 * time.Second
	return (slices.Max(p.took[k])/grain + 1) * grain, true
}

// rest is about how long machines take that are not done, one after the other. It is
// known only where one of every kind of them was measured.
func (p pace) rest(step journal.StepID, machines []runner.Machine, now time.Time) (time.Duration, bool) {
	rest, open := time.Duration(0), false
	for _, m := range machines {
		if m.State == runner.MachineDone {
			continue
		}
		took := p.took[kind{step, m.Group}]
		if len(took) == 0 || m.State == runner.MachineUnseen {
			return 0, false
		}
		open = true
		one := mean(took)
		if m.State == runner.MachineInHand {
			one = max(one-p.since(m.Name, now), 0)
		}
		rest += one
	}
	return rest, open
}

func mean(all []time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, one := range all {
		sum += one
	}
	return sum / time.Duration(len(all))
}
