package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

const (
	// mostMachines and mostGroups bound the lanes of machines, and of groups of workers.
	mostMachines = 9
	mostGroups   = 6
)

// lane is what happened on a machine, or on those of a group.
type lane struct {
	stretches []mark // in which a Node was not as it should be
	moments   []mark // in which a container began or ended
}

func (l lane) len() int { return len(l.stretches) + len(l.moments) }

// add takes another lane's marks in.
func (l *lane) add(o lane) {
	l.stretches, l.moments = append(l.stretches, o.stretches...), append(l.moments, o.moments...)
}

// machines are the lanes of control planes, and of whatever else runs a controller
// manager, and those of groups of workers to which something happened.
func (t *timeline) machines() {
	machines, groups := map[string]lane{}, map[string]lane{}
	group := map[string]string{} // of a worker
	for _, n := range t.r.World.Nodes {
		if n.First.ControlPlane || n.Last.ControlPlane {
			machines[n.First.Name] = lane{}
			continue
		}
		group[n.First.Name] = groupOf(n.Last)
	}
	for _, c := range t.r.World.Restarts {
		one := machines[c.Node]
		one.moments = append(one.moments, t.container(c))
		machines[c.Node] = one
	}
	for _, s := range t.r.World.Stretches {
		lanes, name := machines, s.Node
		if _, runs := machines[s.Node]; !runs {
			lanes, name = groups, cmp.Or(group[s.Node], workers)
		}
		one := lanes[name]
		one.stretches = append(one.stretches, t.stretch(s))
		lanes[name] = one
	}
	t.lanes(machines, mostMachines)
	t.lanes(groups, mostGroups)
}

// lanes are drawn by name; those beyond a number, of which the least is to be said, as one.
func (t *timeline) lanes(byName map[string]lane, most int) {
	names := slices.Sorted(maps.Keys(byName))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(byName[b].len(), byName[a].len()) })
	shown, others := names[:min(len(names), most)], names[min(len(names), most):]
	slices.Sort(shown)
	for _, name := range shown {
		t.machine(cmp.Or(name, "no Node"), byName[name])
	}
	var rest lane
	for _, name := range others {
		rest.add(byName[name])
	}
	if len(others) > 0 {
		t.machine(fmt.Sprintf("%d more", len(others)), rest)
	}
}

func (t *timeline) machine(name string, l lane) {
	t.name(t.y+11, "small", name)
	t.Bar(laneLeft, t.y, laneRight-laneLeft, thinRow, "lane")
	t.row(t.y+4, thinRow-8, joined(l.stretches))
	for _, m := range bounded(l.moments) {
		t.Titled(m.title(), func() { t.event(m) })
	}
	t.y += thinRow + 4
}

// stretch is one of a Node.
func (t *timeline) stretch(s judge.NodeStretch) mark {
	end := s.To
	if end.IsZero() {
		end = t.r.Until
	}
	return whole(t.scale.at(s.From), t.scale.at(end), stretchClass(s.What), StretchText(s))
}

func stretchClass(what judge.Condition) string {
	switch what {
	case judge.Cordoned:
		return "cordoned"
	case judge.NotReady:
		return "unready"
	case judge.Silent:
	}
	return "silent"
}

// workers are those of which nothing tells in which group they are.
const workers = "workers"

// groupOf is the group of a worker: Cluster API names a Machine after its MachineSet, and
// that after the MachineDeployment, each with a part of its own at the end
// (kubernetes-sigs/cluster-api:internal/controllers/machineset@v1.5.5).
func groupOf(n record.Node) string {
	parts := strings.Split(n.Machine, "-")
	if len(parts) < 3 {
		return workers
	}
	return strings.Join(parts[:len(parts)-2], "-")
}

// StretchText is a stretch in a line.
func StretchText(s judge.NodeStretch) string {
	return fmt.Sprintf("%s: Node %s %s", stretchTime(s), s.Node, s.What)
}

func stretchTime(s judge.NodeStretch) string {
	if s.To.IsZero() {
		return "from " + clock(s.From) + " until the end of the record"
	}
	return fmt.Sprintf("%s to %s (%s)", clock(s.From), clock(s.To), seconds(s.To.Sub(s.From)))
}

// stretchesTable are the stretches in which a Node was not as it should be.
func stretchesTable(all []judge.NodeStretch) table {
	t := table{Head: []string{"Node", "was", "when"}}
	for _, s := range all {
		t.Rows = append(t.Rows, []value{text(s.Node), text(string(s.What)), text(stretchTime(s))})
	}
	return t
}

// machinesTable are the machines as Rancher knows them.
func machinesTable(all []record.Machine) table {
	t := table{Head: []string{"machine", "its host is named after", "Node"}}
	for _, m := range all {
		t.Rows = append(t.Rows, []value{text(m.Name), text(orDash(m.Infrastructure)), text(orDash(m.Node))})
	}
	return t
}

// argumentsTable are those of the controller managers, as far as a record keeps them.
func argumentsTable(all []judge.Arguments) table {
	t := table{Head: []string{"Node", "program", "image", "arguments"}}
	for _, a := range all {
		args := change(strings.Join(a.Before, " "), strings.Join(a.After, " "))
		if a.Frozen != "" {
			args = text(args.Text + " (may not be those in force: " + a.Frozen + ")")
		}
		t.Rows = append(t.Rows, []value{text(a.Node), text(a.Program), change(a.Image.Before, a.Image.After), args})
	}
	return t
}
