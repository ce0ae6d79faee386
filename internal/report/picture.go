package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

//go:embed picture.svg
var pictureText string

// Sizes in pixels, and the maximum number of bars in a row.
const (
	pictureWidth = 800
	pictureLeft  = 160
	pictureRight = pictureWidth - 20
	rowHeight    = 20
	rowGap       = 15 // gap lengths are above, overlaps below
	letterWidth  = 7  // maximum average width of 12 px letters
	maxBars      = 150
)

// picture is a time line: the steps of a run, the processes of each controller with its gaps, and
// unwatched times.
type picture struct {
	Title, Words  string
	Width, Height int
	Left, Span    int
	Bottom        int
	Ticks         []tick
	Rows          []row
	Legend        []bar

	from, until time.Time
	names       map[string]string // names of processes by identity
}

type tick struct {
	X    float64
	Text string
}

type row struct {
	Name    string
	Bold    bool
	Y, H    int
	Text    int // base line
	Bars    []bar
	Note    string // further text behind its bars
	NoteX   float64
	dropped int
}

type bar struct {
	X, Y, W, H     float64
	Class, Title   string
	Label          string
	LabelClass     string
	LabelX, LabelY float64
}

// SVG draws the time line of a record. Its size has a limit, regardless of the record.
func SVG(r judge.Result) ([]byte, error) {
	parts, err := template.New("picture").Parse(pictureText)
	if err != nil {
		return nil, fmt.Errorf("the picture of a report: %w", err)
	}
	var out bytes.Buffer
	if err := parts.Execute(&out, newPicture(r)); err != nil {
		return nil, fmt.Errorf("the picture of a report: %w", err)
	}
	return out.Bytes(), nil
}

func newPicture(r judge.Result) *picture {
	p := &picture{Title: tidy("Who ran the cloud controllers of " + r.Header.Name), Width: pictureWidth, Left: pictureLeft, Span: pictureRight - pictureLeft,
		Words: tidy(Sentence(r)) + fmt.Sprintf(" Recorded from %s to %s.", r.From.UTC().Format(time.RFC3339), r.Until.UTC().Format(time.RFC3339)),
		from:  r.From, until: r.Until, names: processNames(r)}
	p.ticks()
	y := 34
	if len(r.Runs) > 0 {
		y = p.add(y, p.steps(r.Runs))
	}
	for _, l := range r.Lanes {
		y = p.add(y, p.controller(r, l))
	}
	if len(r.Blind()) > 0 || len(r.Unwatched) > 0 {
		y = p.add(y, p.unwatched(r))
	}
	p.Bottom = y - 6
	p.legend(float64(y + 4))
	p.Height = y + 22
	return p
}

// add places a row, and returns the position of the next one.
func (p *picture) add(y int, r row) int {
	r.Y, r.H, r.Text = y, rowHeight, y+14
	r.Name, r.Note = tidy(r.Name), tidy(r.Note)
	if r.dropped > 0 {
		r.Note = strings.TrimSpace(fmt.Sprintf("%s and %d more", r.Note, r.dropped))
	}
	edge := 0.0 // end of the last gap length above the row
	for i := range r.Bars {
		b := &r.Bars[i]
		b.Y += float64(y)
		b.Title, r.NoteX = tidy(b.Title), max(r.NoteX, b.X+b.W)
		width, room := float64(len([]rune(b.Label))*letterWidth), b.W-8
		b.LabelX, b.LabelY = round(b.X+5), float64(y+14)
		if b.LabelClass == "len" {
			b.LabelX, b.LabelY = round(b.X+b.W/2), float64(y-2)
			if room = width; b.LabelX-width/2 < edge {
				room = 0
			}
		}
		switch {
		case width > room:
			b.Label = ""
		case b.LabelClass == "len" && b.Label != "":
			edge = b.LabelX + width/2
		}
	}
	r.NoteX = min(max(r.NoteX, pictureLeft)+6, float64(pictureRight-len(r.Note)*letterWidth))
	p.Rows = append(p.Rows, r)
	return y + rowHeight + rowGap
}

// x returns the position of a time; zero lies before the record.
func (p *picture) x(at time.Time) float64 {
	length := p.until.Sub(p.from)
	if at.Before(p.from) || length <= 0 {
		return pictureLeft
	}
	return round(pictureLeft + min(1, float64(at.Sub(p.from))/float64(length))*(pictureRight-pictureLeft))
}

func round(x float64) float64 { return math.Round(x*10) / 10 }

// put adds a bar, unless the row is full.
func (p *picture) put(r *row, from, to time.Time, b bar) {
	if len(r.Bars) >= maxBars {
		r.dropped++
		return
	}
	b.X = p.x(from)
	b.W = max(round(p.x(to)-b.X), 1)
	r.Bars = append(r.Bars, b)
}

// steps returns the row of the steps of runs.
func (p *picture) steps(runs []judge.Run) row {
	r := row{Name: "steps"}
	for _, run := range runs {
		for _, s := range run.Steps {
			if s.Outcome == record.WasDone || s.Outcome == record.Skipped || s.From.Before(p.from) || s.From.After(p.until) {
				continue
			}
			b := bar{Y: 3, H: rowHeight - 6, Class: "step", Title: stepText(s), Label: s.ID, LabelClass: "lab"}
			end := s.Until
			switch {
			case s.Outcome == record.Failed && run.Stopped, end.IsZero():
				b.Class = "stopped"
			case s.Outcome == record.Failed:
				b.Class = "failed"
			}
			if end.IsZero() {
				end = later(run.Until, p.until)
			}
			p.put(&r, s.From, end, b)
			if n := len(r.Bars) - 1; n >= 0 {
				r.Bars[n].W = max(r.Bars[n].W-1, 1) // a gap between two steps
			}
		}
	}
	return r
}

func later(at, otherwise time.Time) time.Time {
	if at.IsZero() {
		return otherwise
	}
	return at
}

// controller returns the row of a controller's processes and gaps.
func (p *picture) controller(r judge.Result, l judge.Lane) row {
	out := row{Name: l.Controller, Bold: true}
	if len(l.Intervals) == 0 {
		out.Note = "no process was seen to run it"
	}
	for _, g := range l.Gaps {
		if runsOff(r, l, g) != "" {
			out.Note = "off by arguments"
			continue
		}
		p.put(&out, g.From, g.To, bar{H: rowHeight, Class: "gap", Title: GapText(g), Label: Length(g), LabelClass: "len"})
	}
	for _, i := range l.Intervals {
		p.process(&out, i)
	}
	for _, o := range l.Overlaps {
		if o.Kind != judge.Excluded && !o.OnlyIfFrozen {
			p.put(&out, o.From, later(o.To, p.until), bar{Y: rowHeight, H: 5, Class: string(o.Kind), Title: OverlapText(o)})
		}
	}
	return out
}

// process draws one process: possible from its earliest start to its latest end, and certain in
// between. An unknown end is drawn by the lease's rule.
func (p *picture) process(out *row, i judge.Interval) {
	class := "other"
	switch i.Process.Program {
	case wellknown.KCM:
		class = "kcm"
	case wellknown.CCM:
		class = "ccm"
	}
	end := i.End.Latest
	if end.IsZero() || !i.ByRule.IsZero() && i.ByRule.Before(end) {
		end = i.ByRule
	}
	sure := i.End.Earliest
	if i.Running {
		end, sure = p.until, p.until
	}
	if end.Before(sure) {
		end = sure
	}
	title := p.names[i.Process.Identity] + ": " + Ran(i)
	p.put(out, i.Start.Earliest, end, bar{Y: 2, H: rowHeight - 4, Class: class + " maybe", Title: title})
	if i.Certain && sure.After(i.Start.Latest) {
		p.put(out, i.Start.Latest, sure, bar{Y: 2, H: rowHeight - 4, Class: class, Title: title, Label: p.names[i.Process.Identity], LabelClass: "lab"})
	}
}

// runsOff explains a controller that stays off because the leader at the end of the record has it
// disabled; otherwise it returns "".
func runsOff(r judge.Result, l judge.Lane, g judge.Gap) string {
	if g.After != nil {
		return ""
	}
	for _, other := range r.Lanes {
		for _, i := range other.Intervals {
			same := func(mine judge.Interval) bool { return mine.Process.Identity == i.Process.Identity }
			if i.Certain && i.Running && i.Process.Program == wellknown.CCM && !slices.ContainsFunc(l.Intervals, same) {
				return "off: " + who(i.Process) + " must not run it, by its arguments"
			}
		}
	}
	return ""
}

// unwatched returns the row of unwatched times.
func (p *picture) unwatched(r judge.Result) row {
	out := row{Name: "not watched"}
	for _, m := range r.Unwatched {
		class := "late"
		if m.Lost {
			class = "lost"
		}
		p.put(&out, m.From, m.Until, bar{H: rowHeight, Class: class, Title: missedText(m)})
	}
	for _, u := range r.Unseen {
		p.put(&out, u.From, u.To, bar{H: rowHeight, Class: "lost", Title: u.Why})
	}
	return out
}

// ticks draws round times with room for their text.
func (p *picture) ticks() {
	length := p.until.Sub(p.from)
	steps := []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
		10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}
	n := slices.IndexFunc(steps, func(step time.Duration) bool { return length/step < 10 })
	step := 24 * time.Hour * max(1, length/(240*time.Hour)+1)
	if n >= 0 {
		step = steps[n]
	}
	layout := time.TimeOnly
	if step >= 24*time.Hour {
		layout = "2 Jan"
	}
	for at := p.from.UTC().Truncate(step).Add(step); !at.After(p.until) && len(p.Ticks) < 12; at = at.Add(step) {
		if x := p.x(at); x > pictureLeft+24 && x < pictureRight-24 {
			p.Ticks = append(p.Ticks, tick{X: x, Text: at.Format(layout)})
		}
	}
}

// legend explains the colours.
func (p *picture) legend(y float64) {
	x := 10.0
	for _, one := range []struct{ class, says string }{{"kcm", "kube-controller-manager"}, {"ccm", "cloud controller manager"}, {"other maybe", "possibly"}, {"gap", "none runs it"}, {"seen", "two at once"}, {"possible", "possibly two"}} {
		p.Legend = append(p.Legend, bar{Class: one.class, X: x, Y: y, LabelX: x + 18, LabelY: y + 10, Label: one.says})
		x += 18 + float64(len(one.says))*6.5 + 14
	}
}

// processNames returns short names of processes, in order of appearance: KCM 1, CCM 1, CCM 2.
func processNames(r judge.Result) map[string]string {
	names, count := map[string]string{}, map[string]int{}
	var all []judge.Interval
	for _, l := range r.Lanes {
		all = append(all, l.Intervals...)
	}
	slices.SortStableFunc(all, func(a, b judge.Interval) int { return a.Start.Latest.Compare(b.Start.Latest) })
	for _, i := range all {
		if names[i.Process.Identity] == "" {
			program := short(i.Process.Program)
			count[program]++
			names[i.Process.Identity] = fmt.Sprintf("%s %d", program, count[program])
		}
	}
	return names
}

// tidy returns text of a record for a picture: limited, and valid in XML.
func tidy(text string) string {
	return strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return '·'
		}
		return r
	}, plaintext.Clip(plaintext.Tidy(text), 400, false))
}

// Length returns the length of a gap as short text.
func Length(g judge.Gap) string {
	least, greatest := roughly(g.Least), roughly(g.Greatest)
	switch {
	case least == greatest:
		return least
	case g.Greatest < 2*time.Minute:
		return fmt.Sprintf("%.0f–%s", g.Least.Seconds(), greatest)
	}
	return least + "–" + greatest
}

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
