package board

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// style is how a word is coloured.
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

// word is what no line breaks in.
type word struct {
	text  string
	style style
	gap   int  // blanks before it, but at the beginning of a line
	tied  bool // to the word before, where a line has room for both
}

// words are those of a text, the first behind a gap.
func words(text string, s style, gap int) []word {
	var all []word
	for _, one := range strings.Fields(plaintext.Line(text)) {
		all = append(all, word{text: one, style: s, gap: gap})
		gap = 1
	}
	return all
}

// tied are words that stay together where a line has room for all of them.
func tied(all []word) []word {
	for i := range all {
		all[i].tied = i > 0
	}
	return all
}

// setter sets words into lines.
type setter struct {
	look    Look
	measure *runewidth.Condition
}

func newSetter(look Look) setter {
	return setter{look, &runewidth.Condition{EastAsianWidth: look.Wide, StrictEmojiNeutral: !look.Wide}}
}

func (s setter) columns(text string) int { return s.measure.StringWidth(text) }

// line is a line that is being set.
type line struct {
	painted strings.Builder
	columns int
}

// lines sets words behind a label into lines of the width, the further ones indented.
// No line breaks in the middle of a word, unless no line has room for it.
func (s setter) lines(label string, indent int, all []word) []string {
	if s.look.Width <= narrow {
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

// flow is lines that are being filled.
type flow struct {
	s      setter
	indent int
	now    line
	fresh  bool // nothing but the label or the indent is in the line
	done   []string
}

// put places words that belong together: in this line, in the next, or one by one.
func (f *flow) put(unit []word) {
	need := f.s.unit(unit)
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

// split places a word that is longer than a line: broken behind signs that stand between
// parts of it, and where even a part is longer, shortened.
func (f *flow) split(w word) {
	gap := w.gap
	for _, part := range parts(w.text) {
		room := f.s.look.Width - f.indent
		if f.s.columns(part) > room {
			part = f.s.measure.Truncate(part, room, f.s.look.more())
		}
		one := []word{{text: part, style: w.style, gap: gap}}
		if f.room(gap) < f.s.columns(part) {
			f.breakLine()
		}
		f.add(one)
		gap = 0
	}
}

// parts are those of a word, each with the sign behind it.
func parts(text string) []string {
	var all []string
	for text != "" {
		i := strings.IndexAny(text, "-./:,_=@")
		if i < 0 || i == len(text)-1 {
			return append(all, text)
		}
		all, text = append(all, text[:i+1]), text[i+1:]
	}
	return all
}

// room is how many columns a word has behind a gap.
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

// unit is how many columns words take beside each other.
func (s setter) unit(unit []word) int {
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
