package report

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// controller is the lane of one controller: its processes, the gaps behind them, and
// below them what overlapped.
func (t *timeline) controller(l judge.Lane) {
	var bars []mark
	for _, i := range l.Intervals {
		bars = append(bars, t.process(i))
	}
	top := t.y + thinRow // above are the lengths of gaps
	packed := rows(bars, mostRows)
	height := float64(max(len(packed), 1)) * rowHeight
	t.name(top+14, "small bold", l.Controller)
	t.Bar(laneLeft, top, laneRight-laneLeft, height, "lane")
	t.gaps(l, top, height)
	if len(packed) == 0 {
		t.Text(int(laneLeft)+6, int(top)+14, "small dim", "nobody was seen to run it")
	}
	for n, row := range packed {
		t.row(top+float64(n)*rowHeight+1, rowHeight-2, row)
	}
	t.y = top + height
	if marks := t.overlaps(l); len(marks) > 0 {
		t.row(t.y+2, 7, marks)
		t.y += 9
	}
	t.y += laneGap
}

// process is one process's time: certain in the middle, possible at both ends.
func (t *timeline) process(i judge.Interval) mark {
	class := t.colour(i.Process)
	from, sure, unsure, until := t.bounds(i)
	m := mark{x: t.scale.at(from), end: t.scale.at(until), label: who(i.Process), facts: []string{Ran(i)}}
	add := func(a, b time.Time, maybe bool) {
		if x, end := t.scale.at(a), t.scale.at(b); b.After(a) || !maybe {
			m.parts = append(m.parts, part{x, end, class, maybe})
		}
	}
	if !i.Certain || !unsure.After(sure) {
		add(from, until, true)
	} else {
		add(from, sure, true)
		add(sure, unsure, false)
		add(unsure, until, true)
	}
	if len(m.parts) == 0 { // shorter than anything that is measured
		m.parts = []part{{m.x, m.end, class, true}}
	}
	return m
}

// bounds are an interval's moments as they are drawn: possible from, certain from, certain
// until, possible until. An end that nothing shows is drawn by client-go's rule.
func (t *timeline) bounds(i judge.Interval) (from, sure, unsure, until time.Time) {
	from, sure, unsure, until = i.Start.Earliest, i.Start.Latest, i.End.Earliest, i.End.Latest
	if from.IsZero() {
		from = t.r.From
	}
	if until.IsZero() || !i.ByRule.IsZero() && i.ByRule.Before(until) {
		until = i.ByRule
	}
	if i.Running {
		unsure, until = t.r.Until, t.r.Until
	}
	if until.Before(unsure) {
		until = unsure
	}
	if until.Before(from) {
		until = from
	}
	return from, sure, unsure, until
}

// gaps are behind the processes, with their lengths above where there is room.
func (t *timeline) gaps(l judge.Lane, top, height float64) {
	excluded := map[[2]string]judge.Overlap{}
	for _, o := range l.Overlaps {
		if o.Kind == judge.Excluded {
			excluded[[2]string{o.First.Identity, o.Second.Identity}] = o
		}
	}
	var marks []mark
	for _, g := range l.Gaps {
		m := whole(t.scale.at(g.From), t.scale.at(g.To), "gap", GapText(g))
		m.label = Length(g)
		if g.Before != nil && g.After != nil {
			if o, is := excluded[[2]string{g.Before.Identity, g.After.Identity}]; is {
				m.facts = append(m.facts, OverlapText(o))
			}
		}
		marks = append(marks, m)
	}
	marks = bounded(marks)
	edge := laneLeft - 40
	for _, m := range marks {
		label := m.label
		m.label = ""
		t.row(top-2, height+4, []mark{m})
		middle, half := (m.x+m.end)/2, float64(len(label))*letter/2
		if label != "" && middle-half > edge {
			t.centred(middle, top-4, "tiny bold bad", label)
			edge = middle + half + 6
		}
	}
}

// Length is a gap's, in few letters.
func Length(g judge.Gap) string {
	least, greatest := roughly(g.Least), roughly(g.Greatest)
	if least == greatest {
		return least
	}
	if g.Greatest < 2*time.Minute {
		return fmt.Sprintf("%.0f–%s", g.Least.Seconds(), greatest)
	}
	return least + "–" + greatest
}

// overlaps are those that were seen or are possible.
func (t *timeline) overlaps(l judge.Lane) []mark {
	var marks []mark
	for _, o := range l.Overlaps {
		from, to := o.From, o.To
		if from.IsZero() {
			from = t.r.From
		}
		if to.IsZero() {
			to = t.r.Until
		}
		m := whole(t.scale.at(from), t.scale.at(to), "twice", OverlapText(o))
		switch {
		case o.Kind == judge.Excluded:
			continue
		case o.OnlyIfFrozen:
			m.parts[0].class = "frozen"
		case o.Kind == judge.Possible:
			m.parts[0].maybe = true
		}
		marks = append(marks, m)
	}
	return marks
}

// blind are the stretches over all controllers of which nothing is known.
func (t *timeline) blind(top, bottom float64) {
	var marks []mark
	for _, s := range t.r.Blind() {
		from := s.From
		if from.IsZero() {
			from = t.r.From
		}
		marks = append(marks, whole(t.scale.at(from), t.scale.at(s.To), "unknown", s.Why))
	}
	for _, m := range bounded(joined(marks)) {
		t.Bar(m.x, top, max(m.end-m.x, 1.5), bottom-top, "unknown")
	}
}
