package board

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// mostNamed is how many lines the machines of one group may take.
const mostNamed = 3

var groups = []struct {
	group runner.MachineGroup
	label string
}{{runner.ControlPlanes, "cp"}, {runner.Workers, "workers"}}

// machines are all of them by name, a group beside the other where a line has room for
// both, and by number where they are too many.
func (r renderer) machines() []string {
	if r.wait == nil {
		return nil
	}
	return append(r.byName(), r.unseen()...)
}

// unseen says what the mark of a machine means of which nothing is seen; nothing, where
// there is none.
func (r renderer) unseen() []string {
	if !slices.ContainsFunc(r.wait.Machines, func(m runner.Machine) bool { return m.State == runner.MachineUnseen }) {
		return nil
	}
	return r.lines("  "+r.look.unseen(), labels, words("what a machine runs is recorded once all have been visited", faint, 0))
}

// byName are all machines, on few lines.
func (r renderer) byName() []string {
	names := shortNames(r.wait.Machines)
	var lines []string
	var beside []word // both groups in one line
	for i, g := range groups {
		all := r.named(g.group, names)
		if len(all) == 0 {
			continue
		}
		if i > 0 && beside != nil {
			beside = append(beside, word{text: g.label, style: faint, gap: 8})
		} else {
			beside = []word{}
		}
		beside = append(beside, all...)
		own := r.lines("  "+g.label, labels, all)
		if len(own) > mostNamed {
			own = r.lines("  "+g.label, labels, r.counted(g.group, names))
		}
		lines = append(lines, own...)
	}
	if len(lines) > 1 {
		if one := r.lines("  "+groups[0].label, labels, beside); len(one) == 1 && r.has(runner.ControlPlanes) {
			return one
		}
	}
	return lines
}

// counts are the machines by number, those in hand by name.
func (r renderer) counts() []string {
	if r.wait == nil {
		return nil
	}
	var lines []string
	names := shortNames(r.wait.Machines)
	for _, g := range groups {
		if all := r.counted(g.group, names); len(all) > 0 {
			lines = append(lines, r.lines("  "+g.label, labels, all)...)
		}
	}
	return append(lines, r.unseen()...)
}

func (r renderer) has(group runner.MachineGroup) bool {
	for _, m := range r.wait.Machines {
		if m.Group == group {
			return true
		}
	}
	return false
}

func (r renderer) named(group runner.MachineGroup, names map[string]string) []word {
	var all []word
	for _, m := range r.wait.Machines {
		if m.Group == group {
			all = append(all, r.machine(m, names[m.Name])...)
		}
	}
	return all
}

// machine is a name and its mark, and of one in hand what is seen of it and since when.
func (r renderer) machine(m runner.Machine, name string) []word {
	all := []word{{text: name, gap: 3}}
	mark := func(text string, s style) { all = append(all, word{text: text, style: s, gap: 1, tied: true}) }
	switch m.State {
	case runner.MachineDone:
		mark(r.look.done(), green)
	case runner.MachineInHand:
		mark(r.look.spin(r.now), cyan)
		all = append(all, words(m.Doing+" "+span(r.pace.since(m.Name, r.now)), none, 1)...)
	case runner.MachineUnseen:
		mark(r.look.unseen(), faint)
	case runner.MachineWaits:
		mark(r.look.waits(), faint)
	}
	return all
}

// mostInHand is how many machines in hand are named beside numbers.
const mostInHand = 3

func (r renderer) counted(group runner.MachineGroup, names map[string]string) []word {
	by, inHand, hidden := map[runner.MachineState]int{}, []word(nil), 0
	for _, m := range r.wait.Machines {
		if m.Group != group {
			continue
		}
		by[m.State]++
		if m.State != runner.MachineInHand {
			continue
		}
		if by[m.State] > mostInHand {
			hidden++
			continue
		}
		inHand = append(inHand, r.machine(m, names[m.Name])...)
	}
	if hidden > 0 {
		inHand = append(inHand, words(fmt.Sprintf("and %d more in hand", hidden), none, 3)...)
	}
	var all []word
	count := func(state runner.MachineState, mark string, s style) {
		if by[state] > 0 {
			all = append(all, word{text: fmt.Sprint(by[state]), gap: 3}, word{text: mark, style: s, gap: 1, tied: true})
		}
	}
	count(runner.MachineDone, r.look.done(), green)
	all = append(all, inHand...)
	count(runner.MachineWaits, r.look.waits(), faint)
	count(runner.MachineUnseen, r.look.unseen(), faint)
	return all
}

// shortNames are the machines' names without what they share: their last part where that
// tells all of them apart and is no mere number, else the host's name without its domain,
// else all of it.
func shortNames(machines []runner.Machine) map[string]string {
	for _, shorten := range []func(string) string{lastPart, hostPart} {
		short, taken := map[string]string{}, map[string]bool{}
		for _, m := range machines {
			short[m.Name] = shorten(m.Name)
			taken[short[m.Name]] = true
		}
		if len(taken) == len(short) && !taken[""] {
			return short
		}
	}
	whole := map[string]string{}
	for _, m := range machines {
		whole[m.Name] = m.Name
	}
	return whole
}

// lastPart is what stands behind the last hyphen; "" where that is a mere number.
func lastPart(name string) string {
	last := name[strings.LastIndex(name, "-")+1:]
	if strings.Contains(last, ".") || strings.Trim(last, "0123456789") == "" {
		return ""
	}
	return last
}

func hostPart(name string) string {
	host, _, _ := strings.Cut(name, ".")
	if strings.Trim(host, "0123456789") == "" {
		return "" // an address
	}
	return host
}
