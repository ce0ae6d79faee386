package board

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
)

// style is the terminal escape sequence of a word.
type style string

const (
	none   style = ""
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	cyan   style = "\x1b[36m"
	faint  style = "\x1b[2m"
	strong style = "\x1b[1m"
	reset        = "\x1b[0m"
)

// word is a part of a line that is not broken.
type word struct {
	text  string
	style style
	gap   int  // blanks before it, except at the beginning of a line
	tied  bool // stays on the line of the previous word if one line has room for both
}

// words splits a text into words. gap is that of the first word.
func words(text string, s style, gap int) []word {
	var all []word
	for _, one := range strings.Fields(plaintext.Line(text)) {
		all = append(all, word{text: one, style: s, gap: gap})
		gap = 1
	}
	return all
}

// tie keeps words together if one line has room for all of them.
func tie(all []word) []word {
	for i := range all {
		all[i].tied = i > 0
	}
	return all
}

// setter arranges words in lines.
type setter struct {
	look    Look
	measure *runewidth.Condition
}

func newSetter(look Look) setter {
	return setter{look, &runewidth.Condition{EastAsianWidth: look.Wide, StrictEmojiNeutral: !look.Wide}}
}

func (s setter) columns(text string) int { return s.measure.StringWidth(text) }

// line is a line under construction.
type line struct {
	painted strings.Builder
	columns int
}

// lines arranges words after a label in lines of the width. Continuation lines are indented. A word is
// broken only if no line has room for it.
func (s setter) lines(label string, indent int, all []word) []string {
	if s.look.Width <= narrowWidth {
		indent = min(indent, 2)
	}
	indent = min(indent, s.look.Width/4)
	f := &flow{s: s, indent: indent}
	if label != "" {
		used := s.columns(label)
		f.now.columns, f.fresh = max(indent, used+1), true
		f.now.painted.WriteString(label + strings.Repeat(" ", f.now.columns-used))
	}
	for i := range all {
		all[i].text = s.look.text(all[i].text)
	}
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].tied {
			end++
		}
		f.put(all[i:end])
		i = end
	}
	return f.end()
}

// flow fills lines with words.
type flow struct {
	s      setter
	indent int
	now    line
	fresh  bool // whether the line has only its label or indent
	done   []string
}

// put places tied words on this line, on the next one, or separately.
func (f *flow) put(unit []word) {
	need := f.s.unitColumns(unit)
	if f.room(unit[0].gap) >= need {
		f.add(unit)
		return
	}
	if f.s.look.Width-f.indent >= need {
		f.breakLine()
		f.add(unit)
		return
	}
	if len(unit) > 1 {
		for i := range unit {
			f.put(unit[i : i+1])
		}
		return
	}
	f.split(unit[0])
}

// split places a word that is longer than a line. It breaks a list after its commas, an item that is still
// too long after other separators, and cuts parts that are still too long.
func (f *flow) split(w word) {
	gap, room := w.gap, f.s.look.Width-f.indent
	var all []string
	for _, item := range parts(w.text, ",") {
		if f.s.columns(item) <= room {
			all = append(all, item)
			continue
		}
		all = append(all, parts(item, "-./:_=@")...)
	}
	for _, part := range all {
		if f.s.columns(part) > room {
			part = f.s.measure.Truncate(part, room, f.s.look.ellipsis())
		}
		one := []word{{text: part, style: w.style, gap: gap}}
		if f.room(gap) < f.s.columns(part) {
			f.breakLine()
		}
		f.add(one)
		gap = 0
	}
}

// parts splits a word after each of the separators.
func parts(text, separators string) []string {
	var all []string
	for text != "" {
		i := strings.IndexAny(text, separators)
		if i < 0 || i == len(text)-1 {
			return append(all, text)
		}
		all, text = append(all, text[:i+1]), text[i+1:]
	}
	return all
}

// room returns the columns that are left after a gap.
func (f *flow) room(gap int) int {
	if f.fresh || f.now.columns == 0 {
		gap = 0
	}
	return f.s.look.Width - f.now.columns - gap
}

func (f *flow) add(unit []word) {
	for i, w := range unit {
		gap := w.gap
		if i == 0 && (f.fresh || f.now.columns == 0) {
			gap = 0
		}
		f.now.painted.WriteString(strings.Repeat(" ", gap))
		f.now.painted.WriteString(f.s.paint(w))
		f.now.columns += gap + f.s.columns(w.text)
	}
	f.fresh = false
}

func (f *flow) breakLine() {
	f.done = append(f.done, strings.TrimRight(f.now.painted.String(), " "))
	f.now = line{columns: f.indent}
	f.now.painted.WriteString(strings.Repeat(" ", f.indent))
	f.fresh = true
}

func (f *flow) end() []string {
	return append(f.done, strings.TrimRight(f.now.painted.String(), " "))
}

// unitColumns returns the columns of tied words.
func (s setter) unitColumns(unit []word) int {
	n := s.columns(unit[0].text)
	for _, w := range unit[1:] {
		n += w.gap + s.columns(w.text)
	}
	return n
}

func (s setter) paint(w word) string {
	if !s.look.Colour || w.style == none {
		return w.text
	}
	return string(w.style) + w.text + reset
}
