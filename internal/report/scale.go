package report

import (
	"cmp"
	"slices"
	"time"
)

const (
	// quiet is how long nothing has to happen for a stretch to be drawn shorter than it is.
	quiet = 2 * time.Minute
	// around is what is drawn in full on both sides of whatever happens.
	around = 15 * time.Second
	// mostBreaks and breakWidth bound what the cut stretches take.
	mostBreaks = 6
	breakWidth = 34.0
)

// scale puts moments on a line. Of a record of hours the seconds of a hand-over are what
// matters: long stretches in which nothing happens are cut.
type scale struct{ pieces []piece }

// piece is a stretch of time on a stretch of the line.
type piece struct {
	from, to    time.Time
	left, right float64
	cut         bool
}

// newScale puts from to until between left and right.
func newScale(from, until time.Time, left, right float64, moments []time.Time) scale {
	var all []piece
	at, total := from, until.Sub(from)
	for _, c := range cuts(from, until, moments) {
		all = append(all, piece{from: at, to: c.from}, piece{from: c.from, to: c.to, cut: true})
		at, total = c.to, total-c.to.Sub(c.from)
	}
	all = append(all, piece{from: at, to: until})
	width, x := right-left-float64(len(all)/2)*breakWidth, left
	for i := range all {
		p := &all[i]
		p.left, p.right = x, x+breakWidth
		if !p.cut {
			p.right = x
			if total > 0 {
				p.right += width * float64(p.to.Sub(p.from)) / float64(total)
			}
		}
		x = p.right
	}
	return scale{all}
}

// cuts are the longest stretches in which nothing happens, in order; none where cutting
// them would gain little.
func cuts(from, until time.Time, moments []time.Time) []piece {
	inside := slices.DeleteFunc(slices.Clone(moments), func(t time.Time) bool { return t.Before(from) || t.After(until) })
	inside = append(inside, from, until)
	slices.SortFunc(inside, time.Time.Compare)
	var all []piece
	for i, t := range inside[1:] {
		if c := (piece{from: inside[i].Add(around), to: t.Add(-around)}); c.to.Sub(c.from) > quiet {
			all = append(all, c)
		}
	}
	length := func(p piece) time.Duration { return p.to.Sub(p.from) }
	slices.SortFunc(all, func(a, b piece) int { return cmp.Compare(length(b), length(a)) })
	all = all[:min(len(all), mostBreaks)]
	var gained time.Duration
	for _, c := range all {
		gained += length(c)
	}
	if gained < until.Sub(from)*2/5 {
		return nil
	}
	slices.SortFunc(all, func(a, b piece) int { return a.from.Compare(b.from) })
	return all
}

// at is where a moment is; what lies outside is at the edge.
func (s scale) at(t time.Time) float64 {
	for _, p := range s.pieces {
		if t.Before(p.from) {
			return p.left
		}
		if t.Before(p.to) {
			return p.left + (p.right-p.left)*float64(t.Sub(p.from))/float64(p.to.Sub(p.from))
		}
	}
	return s.pieces[len(s.pieces)-1].right
}

// uncut are what the cut stretches leave of a stretch of the line.
func (s scale) uncut(x, end float64) [][2]float64 {
	var all [][2]float64
	for _, p := range s.pieces {
		if from, to := max(x, p.left), min(end, p.right); !p.cut && to > from {
			all = append(all, [2]float64{from, to})
		}
	}
	return all
}

// tick is a moment on the axis.
type tick struct {
	x    float64
	text string
}

// narrowest is between two ticks, in pixels.
const narrowest = 68

// ticks are the round moments of the pieces.
func (s scale) ticks() []tick {
	first, last := s.pieces[0].from, s.pieces[len(s.pieces)-1].to
	days := first.UTC().YearDay() != last.UTC().YearDay() || last.Sub(first) > 24*time.Hour
	room := float64(narrowest)
	if days {
		room += 24
	}
	var all []tick
	edge := s.pieces[0].left - room
	for _, p := range s.pieces {
		step := stepOf(p, room)
		if p.cut || step == 0 {
			continue
		}
		for t := p.from.Truncate(step); t.Before(p.to); t = t.Add(step) {
			if x := s.at(t); !t.Before(p.from) && x-edge >= room {
				all, edge = append(all, tick{x, tickText(t, step, days)}), x
			}
		}
	}
	return all
}

func tickText(t time.Time, step time.Duration, days bool) string {
	form := "15:04"
	if step < time.Minute {
		form = "15:04:05"
	}
	if days {
		form = "2 Jan " + form
	}
	return t.UTC().Format(form)
}

// stepOf is the shortest round step whose ticks have room; 0: the piece has room for none.
func stepOf(p piece, room float64) time.Duration {
	fits := time.Duration(float64(p.to.Sub(p.from)) / (p.right - p.left) * room)
	if p.right-p.left < room/2 {
		return 0
	}
	const day = 24 * time.Hour
	for _, seconds := range []int{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 3 * 3600, 6 * 3600, 12 * 3600} {
		if step := time.Duration(seconds) * time.Second; step >= fits {
			return step
		}
	}
	return max(day, (fits/day+1)*day)
}
