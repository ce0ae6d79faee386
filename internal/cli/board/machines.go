package board

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// maxGroupLines limits the lines of the machines of one group.
const maxGroupLines = 3

var groups = []struct {
	group runner.MachineGroup
	label string
}{{runner.ControlPlanes, "cp"}, {runner.Workers, "workers"}}

// machines shows all machines by name, each group on its own lines. A group with too many machines is counted
// instead.
func (r renderer) machines() []string {
	if r.wait == nil {
		return nil
	}
	return append(r.byName(), r.unseenNote()...)
}

// unseenNote explains the mark of unseen machines, or returns nil without such machines.
func (r renderer) unseenNote() []string {
	if !slices.ContainsFunc(r.wait.Machines, func(m runner.Machine) bool { return m.State == runner.MachineUnseen }) {
		return nil
	}
	return r.lines("  "+r.look.unseenMark(), labels, words("state is known after all machines were visited", faint, 0))
}

// byName shows all machines by name where there is room.
func (r renderer) byName() []string {
	names := shortNames(r.wait.Machines)
	var lines []string
	for _, g := range groups {
		all := r.groupWords(g.group, names)
		if len(all) == 0 {
			continue
		}
		own := r.lines("  "+g.label, labels, all)
		if len(own) > maxGroupLines {
			own = r.lines("  "+g.label, labels, r.countWords(g.group, names))
		}
		lines = append(lines, own...)
	}
	return lines
}

// counts shows the numbers of machines, and the names of the active ones.
func (r renderer) counts() []string {
	if r.wait == nil {
		return nil
	}
	var lines []string
	names := shortNames(r.wait.Machines)
	for _, g := range groups {
		if all := r.countWords(g.group, names); len(all) > 0 {
			lines = append(lines, r.lines("  "+g.label, labels, all)...)
		}
	}
	return append(lines, r.unseenNote()...)
}

func (r renderer) groupWords(group runner.MachineGroup, names map[string]string) []word {
	var all []word
	for _, m := range r.wait.Machines {
		if m.Group == group {
			all = append(all, r.machineWords(m, names[m.Name])...)
		}
	}
	return all
}

// machineWords shows a name and its mark. For an active machine it adds its state and the time.
func (r renderer) machineWords(m runner.Machine, name string) []word {
	all := []word{{text: name, gap: 3}}
	mark := func(text string, s style) { all = append(all, word{text: text, style: s, gap: 1, tied: true}) }
	switch m.State {
	case runner.MachineDone:
		mark(r.look.doneMark(), green)
	case runner.MachineChanging:
		mark(r.look.spin(r.now), cyan)
		all = append(all, words(m.Doing+" "+formatTime(r.pace.since(m.Name, r.now)), none, 1)...)
	case runner.MachineUnseen:
		mark(r.look.unseenMark(), faint)
	case runner.MachineWaits:
		mark(r.look.waitMark(), faint)
	}
	return all
}

// maxActiveNames limits the active machines that are named next to counts.
const maxActiveNames = 3

func (r renderer) countWords(group runner.MachineGroup, names map[string]string) []word {
	by, active, hidden := map[runner.MachineState]int{}, []word(nil), 0
	for _, m := range r.wait.Machines {
		if m.Group != group {
			continue
		}
		by[m.State]++
		if m.State != runner.MachineChanging {
			continue
		}
		if by[m.State] > maxActiveNames {
			hidden++
			continue
		}
		active = append(active, r.machineWords(m, names[m.Name])...)
	}
	if hidden > 0 {
		active = append(active, words(fmt.Sprintf("and %d more in progress", hidden), none, 3)...)
	}
	var all []word
	count := func(state runner.MachineState, mark string, s style) {
		if by[state] > 0 {
			all = append(all, word{text: fmt.Sprint(by[state]), gap: 3}, word{text: mark, style: s, gap: 1, tied: true})
		}
	}
	count(runner.MachineDone, r.look.doneMark(), green)
	all = append(all, active...)
	count(runner.MachineWaits, r.look.waitMark(), faint)
	count(runner.MachineUnseen, r.look.unseenMark(), faint)
	return all
}

// shortNames maps the machines' names to short unique ones: the last part if it is not only digits, else
// the host name without its domain, else the whole name.
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

// lastPart returns the part after the last hyphen, or "" if it is only digits or contains a dot.
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
		return "" // an IP address
	}
	return host
}
