package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

const (
	// mostMarks bounds what one row has, however much a record holds: more of them are
	// drawn as one where they are near each other.
	mostMarks = 120
	// mostFacts and longestFact bound what a mark says.
	mostFacts   = 3
	longestFact = 240
)

// mark is something on a row: from x to end, with the facts that it stands for.
type mark struct {
	x, end float64
	parts  []part
	label  string // within it, where there is room
	facts  []string
	more   int // facts beside those
}

// part is a stretch of a mark, in one colour. maybe: it is not certain.
type part struct {
	x, end float64
	class  string
	maybe  bool
}

// whole is a mark of one part.
func whole(x, end float64, class, fact string) mark {
	return mark{x: x, end: end, parts: []part{{x: x, end: end, class: class}}, facts: []string{fact}}
}

// crowded is the class of marks of several kinds drawn as one.
const crowded = "many"

// bounded are the marks of a row, in order, near ones joined where they are too many.
func bounded(all []mark) []mark {
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Compare(a.x, b.x) })
	if len(all) <= mostMarks {
		return all
	}
	const width = (laneRight - laneLeft) / mostMarks
	var joined []mark
	for _, m := range all {
		n := len(joined) - 1
		if n < 0 || int((joined[n].x-laneLeft)/width) != int((m.x-laneLeft)/width) {
			joined = append(joined, m)
			continue
		}
		joined[n] = joined[n].with(m)
	}
	return joined
}

// with is both as one mark.
func (m mark) with(o mark) mark {
	class := m.parts[0].class
	if o.parts[0].class != class {
		class = crowded
	}
	m.end, m.label = max(m.end, o.end), ""
	m.parts = []part{{x: m.x, end: m.end, class: class}}
	room := min(max(0, mostFacts-len(m.facts)), len(o.facts))
	m.more += o.more + len(o.facts) - room
	if room > 0 {
		m.facts = append(m.facts[:len(m.facts):len(m.facts)], o.facts[:room]...)
	}
	return m
}

// title is what a mark says, in lines of bounded number and length.
func (m mark) title() string {
	var lines []string
	for _, fact := range m.facts {
		lines = append(lines, plaintext.Clip(fact, longestFact, false))
	}
	if m.more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", m.more))
	}
	return strings.Join(lines, "; ")
}

// rows gives each mark the first row that is free; what finds none goes to the last.
func rows(all []mark, most int) [][]mark {
	slices.SortStableFunc(all, func(a, b mark) int { return cmp.Compare(a.x, b.x) })
	var found [][]mark
	var ends []float64
	for _, m := range all {
		n := slices.IndexFunc(ends, func(end float64) bool { return end <= m.x+0.5 })
		if n < 0 && len(ends) < most {
			n = len(ends)
			found, ends = append(found, nil), append(ends, 0)
		}
		if n < 0 {
			n = most - 1
		}
		found[n], ends[n] = append(found[n], m), max(ends[n], m.end)
	}
	return found
}
