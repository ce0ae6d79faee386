package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

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
// The worst of them gives its colour.
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
		if worse(m.parts[0].class, class) {
			class = m.parts[0].class
		}
		found[n] = found[n].with(m)
		found[n].parts[0].class = class
	}
	return found
}

// worse says whether the first of two classes outdoes the second: what was lost what only
// came late, and a Node that is not Ready one that is silent, or cordoned.
func worse(a, b string) bool {
	order := []string{"late", "lost", "cordoned", "silent", "unready"}
	return slices.Index(order, a) > slices.Index(order, b)
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
