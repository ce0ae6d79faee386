package report

import (
	"fmt"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/canvas"
	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Where things are on the time line, in pixels.
const (
	pageWidth = 860
	laneLeft  = 166.0
	laneRight = pageWidth - 18.0
	rowHeight = 20.0
	thinRow   = 14.0
	laneGap   = 12.0
	mostRows  = 4
	// letter is how wide one is, about, of the small text.
	letter = 6.6
)

// timeline is a drawing from the top down.
type timeline struct {
	*canvas.Canvas
	r       judge.Result
	scale   scale
	colours map[string]string // by identity
	taken   map[string]int    // colours, by family
	order   []judge.Process   // as the legend has them
	y       float64           // where the next lane begins
}

// SVG is the time line of a record: who ran each controller, what was not watched, and
// what happened to the control plane meanwhile. Its size is bounded, whatever the record's.
func SVG(r judge.Result) []byte {
	name := plaintext.Clip(plaintext.Line(r.Header.Name), 60, false)
	title := "Who ran the cloud controllers of " + name
	t := &timeline{Canvas: canvas.New(pageWidth, 0, title, inWords(r)), r: r, colours: map[string]string{}, taken: map[string]int{}, y: 68,
		scale: newScale(r.From, r.Until, laneLeft, laneRight, moments(r))}
	t.Style(timelineStyle)
	t.Raw("%s", hatching)
	t.Text(16, 27, "bold", title)
	t.Text(pageWidth-18, 27, "small dim end", r.From.UTC().Format("2 January 2006, ")+"UTC")
	top := t.y - 4
	t.runs()
	first := t.y
	for _, l := range r.Lanes {
		t.controller(l)
	}
	t.blind(first, t.y-laneGap/2)
	t.outages()
	t.machines()
	t.axis(top, t.y-laneGap/2)
	t.legend()
	t.Height = int(t.y) + 12
	return t.SVG()
}

// inWords is what the picture shows, for those who do not see it.
func inWords(r judge.Result) string {
	return fmt.Sprintf("%s Recorded from %s to %s.", Sentence(r), r.From.UTC().Format(time.RFC3339), r.Until.UTC().Format(time.RFC3339))
}

// moments are those at which something happens.
func moments(r judge.Result) []time.Time {
	var all []time.Time
	add := func(some ...time.Time) {
		for _, t := range some {
			if !t.IsZero() {
				all = append(all, t)
			}
		}
	}
	for _, l := range r.Lanes {
		for _, i := range l.Intervals {
			add(i.Start.Earliest, i.Start.Latest, i.End.Earliest, i.End.Latest, i.ByRule)
		}
		for _, o := range l.Overlaps {
			add(o.From, o.To)
		}
	}
	for _, m := range r.Unwatched {
		add(m.From, m.Until)
	}
	for _, u := range r.Unseen {
		add(u.From, u.To)
	}
	for _, c := range r.World.Restarts {
		add(c.At)
	}
	for _, s := range r.World.Stretches {
		add(s.From, s.To)
	}
	for _, run := range r.Runs {
		add(run.From, run.Until)
		for _, s := range run.Steps {
			add(s.From, s.Until)
		}
	}
	return all
}

// axis is drawn beneath nothing: its lines are thin, and go through all lanes.
func (t *timeline) axis(top, bottom float64) {
	for _, k := range t.scale.ticks() {
		t.Line(k.x, top, k.x, bottom, "grid")
		t.centred(k.x, top-8, "tiny dim", k.text)
	}
	for _, p := range t.scale.pieces {
		if !p.cut {
			continue
		}
		length := roughly(p.to.Sub(p.from))
		t.Titled(fmt.Sprintf("%s to %s, %s: nothing of what is drawn begins or ends in it, and it is drawn shorter than it is", clock(p.from), clock(p.to), length), func() {
			t.Raw(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="cut"/>`, p.left+4, top, p.right-p.left-8, bottom-top)
			t.Raw(`<text transform="translate(%.1f %.1f) rotate(-90)" class="tiny dim middle">%s</text>`, (p.left+p.right)/2+3.5, (top+bottom)/2, length)
		})
	}
}

// centred is text whose middle is at x, as far as the page has room.
func (t *timeline) centred(x, y float64, class, text string) {
	half := float64(len(text)) * 3
	x = min(max(x, half+4), pageWidth-4-half)
	t.Text(int(x), int(y), class+" middle", text)
}

// name is a lane's, at its left.
func (t *timeline) name(y float64, class, text string) {
	const room = 20
	t.Titled(text, func() { t.Text(16, int(y), class, plaintext.Clip(plaintext.Line(text), room, false)) })
}

// row draws marks with their facts.
func (t *timeline) row(y, height float64, marks []mark) {
	for _, m := range bounded(marks) {
		t.Titled(m.title(), func() {
			for _, p := range m.parts {
				t.part(p, y, height)
			}
			t.label(m, y+height/2+4)
		})
	}
}

// label is a mark's, in its widest part that is certain, where there is room.
func (t *timeline) label(m mark, y float64) {
	left, room := 0.0, 0.0
	for _, p := range m.parts {
		for _, free := range t.scale.uncut(p.x, p.end) {
			if width := free[1] - free[0]; width > room && !p.maybe {
				left, room = free[0], width
			}
		}
	}
	if m.label != "" && float64(len([]rune(m.label)))*letter+8 <= room {
		t.Text(int(left)+6, int(y), "small light", m.label)
	}
}

func (t *timeline) part(p part, y, height float64) {
	width := max(p.end-p.x, 1.5)
	if p.maybe {
		t.Bar(p.x, y, width, height, p.class+" maybe")
		t.Bar(p.x, y, width, height, "hatch")
		return
	}
	t.Bar(p.x, y, width, height, p.class)
}

// roughly is a length for a label.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
