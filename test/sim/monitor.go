package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// monitor checks the invariants at every moment, for any actor.
type monitor struct {
	on         bool
	violations []string
	nodes      map[string]string // Node name → UID and ProviderID
	cordons    map[string]bool   // Nodes that their user has cordoned
	// gapSince is the time since when no process runs the controllers, or zero.
	gapSince time.Time
	longest  time.Duration // longest observed gap
}

func (m monitor) clone() monitor {
	m.violations = slices.Clone(m.violations)
	m.nodes, m.cordons = maps.Clone(m.nodes), maps.Clone(m.cordons)
	return m
}

func (m *monitor) say(w *World, format string, args ...any) {
	v := fmt.Sprintf(format, args...)
	if !slices.Contains(m.violations, v) {
		m.violations = append(m.violations, v)
	}
	_ = w
}

// begin takes the current state as the one to preserve.
func (m *monitor) begin(w *World) {
	m.on, m.nodes, m.cordons = true, map[string]string{}, map[string]bool{}
	for _, k := range w.down.keys("nodes", "") {
		node := w.down.peek("nodes", "", k.name)
		m.nodes[k.name] = text(node, "metadata", "uid") + " " + text(node, "spec", "providerID")
		m.cordons[k.name] = at(node, "spec", "unschedulable") == true
	}
}

func (m *monitor) look(w *World) {
	if !m.on {
		return
	}
	var running []string
	for _, p := range w.processes {
		if w.runs(p) {
			running = append(running, p.component+" on "+p.node)
		}
		if p.component == kcmName && p.provider != "aws" && p.migration {
			m.say(w, "S1: %s is external and has the flag: it can hold the migration lease and run nothing", p.node)
		}
	}
	switch {
	case len(running) > 1:
		m.say(w, "S1: two managers run the controllers: %s", strings.Join(running, ", "))
	case len(running) == 0 && m.gapSince.IsZero():
		m.gapSince = w.now
	case len(running) > 0:
		m.gapSince = time.Time{}
	}
	if !m.gapSince.IsZero() {
		m.longest = max(m.longest, w.now.Sub(m.gapSince))
	}
	for name, was := range m.nodes {
		node := w.down.peek("nodes", "", name)
		if node == nil {
			m.say(w, "S2: Node %s is gone", name)
			continue
		}
		if now := text(node, "metadata", "uid") + " " + text(node, "spec", "providerID"); now != was {
			m.say(w, "S2: Node %s was %s, is %s", name, was, now)
		}
	}
	if n := len(w.down.keys("nodes", "")); n != len(m.nodes) {
		m.say(w, "S2: %d Nodes, had %d", n, len(m.nodes))
	}
}
