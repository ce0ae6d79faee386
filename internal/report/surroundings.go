package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// mostMachines bounds the lanes of machines.
const mostMachines = 9

// runs are lanes of the steps of each run of awsmigrate.
func (t *timeline) runs() {
	const most = 3
	for _, run := range t.r.Runs[:min(len(t.r.Runs), most)] {
		end := run.Until
		if end.IsZero() {
			end = t.r.Until
		}
		t.name(t.y+14, "small bold", "steps of the run")
		t.Bar(laneLeft, t.y, laneRight-laneLeft, rowHeight, "lane")
		t.row(t.y, rowHeight, []mark{whole(t.scale.at(run.From), t.scale.at(end), "span", RunText(run))})
		var marks []mark
		for _, s := range run.Steps {
			if s.Outcome != record.WasDone && s.Outcome != record.Skipped {
				marks = append(marks, t.step(s, run))
			}
		}
		t.row(t.y+2, rowHeight-4, marks)
		t.y += rowHeight + laneGap/2
	}
}

func (t *timeline) step(s judge.Step, run judge.Run) mark {
	end, class := s.Until, "step"
	if end.IsZero() {
		end, class = run.Until, "stopped"
	}
	if end.IsZero() {
		end = t.r.Until
	}
	if s.Outcome == record.Failed {
		class = "stopped"
	}
	m := whole(t.scale.at(s.From), t.scale.at(end), class, StepText(s))
	m.end-- // between two of them
	m.parts[0].end = m.end
	m.label = s.ID
	return m
}

// outages is the lane of what was not watched, whatever it was.
func (t *timeline) outages() {
	var marks []mark
	for _, m := range t.r.Unwatched {
		one := whole(t.scale.at(m.From), t.scale.at(m.Until), "late", missedText(m))
		if m.Lost {
			one.parts[0].class = "lost"
		}
		marks = append(marks, one)
	}
	t.name(t.y+11, "small", "not watched")
	t.Bar(laneLeft, t.y, laneRight-laneLeft, thinRow, "lane")
	t.row(t.y, thinRow, joined(marks))
	t.y += thinRow + 6
}

// joined are marks of which those that overlap are one: of an outage every stream tells.
// What was lost outdoes what only came late.
func joined(all []mark) []mark {
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Compare(a.x, b.x) })
	var found []mark
	for _, m := range all {
		n := len(found) - 1
		if n < 0 || m.x > found[n].end+0.5 {
			found = append(found, m)
			continue
		}
		class := found[n].parts[0].class
		found[n] = found[n].with(m)
		if class != "lost" && found[n].parts[0].class == crowded {
			class = m.parts[0].class
		}
		found[n].parts[0].class = class
	}
	return found
}

// machines are the lanes of control planes, and of whatever else runs a controller
// manager, with the containers that began and ended.
func (t *timeline) machines() {
	byName := map[string][]mark{}
	for _, n := range t.r.World.Nodes {
		if n.First.ControlPlane || n.Last.ControlPlane {
			byName[n.First.Name] = nil
		}
	}
	for _, c := range t.r.World.Restarts {
		byName[c.Node] = append(byName[c.Node], t.container(c))
	}
	names := slices.Sorted(maps.Keys(byName))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(byName[b]), len(byName[a])) })
	shown, others := names[:min(len(names), mostMachines)], names[min(len(names), mostMachines):]
	slices.Sort(shown)
	for _, name := range shown {
		t.machine(cmp.Or(name, "no Node"), byName[name])
	}
	var rest []mark
	for _, name := range others {
		rest = append(rest, byName[name]...)
	}
	if len(others) > 0 {
		t.machine(fmt.Sprintf("%d more", len(others)), rest)
	}
}

func (t *timeline) machine(name string, marks []mark) {
	t.name(t.y+11, "small", name)
	t.Bar(laneLeft, t.y, laneRight-laneLeft, thinRow, "lane")
	for _, m := range bounded(marks) {
		t.Titled(m.title(), func() { t.event(m) })
	}
	t.y += thinRow + 4
}

// container is a container that began or ended, at one moment.
func (t *timeline) container(c judge.Restart) mark {
	x := t.scale.at(c.At)
	class, what := "kcm", "began"
	if c.Program == wellknown.CCM {
		class = "ccm"
	}
	if c.Ended {
		class, what = class+" ended", fmt.Sprintf("ended, exit %d", c.Exit)
	}
	return whole(x, x, class, fmt.Sprintf("%s: container of %s %s (pod %s)", clock(c.At), c.Program, what, c.Pod))
}

// event is a triangle where a container began, and a bar where one ended.
func (t *timeline) event(m mark) {
	y := t.y + thinRow/2
	switch class := m.parts[0].class; class {
	case "kcm", "ccm":
		t.Raw(`<path d="M%.1f %.1fl8 5l-8 5Z" class="%s"/>`, m.x, y-5, class)
	default:
		t.Bar(m.x-1.5, y-6, 3, 12, class)
	}
}
