package console

import (
	"regexp"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Layout arranges texts in lines. It cuts nothing: a word or a command that is wider than a line stays whole.
type Layout struct {
	Width int  // columns of a line, or 0 without a limit
	Wide  bool // whether characters of ambiguous width use two columns
}

const (
	// MaxParagraph is the width of a paragraph on a wide terminal, and the column where the tail of a row ends.
	MaxParagraph = 120
	// minText is the least room for a text next to its prefix. With less room it goes below the prefix.
	minText = 24
	// minColumn is the least room for a column of texts next to a prefix, below the tails of its rows.
	minColumn = 48
	// belowIndent is the indent of a text below its prefix.
	belowIndent = 4
	// narrowPrefix is the width up to which a prefix keeps a word next to it that is wider than a line.
	narrowPrefix = 12
	// gap is the number of blanks between columns.
	gap = 2
)

// Columns returns the columns that a text uses on a terminal.
func (l Layout) Columns(text string) int {
	return (&runewidth.Condition{EastAsianWidth: l.Wide, StrictEmojiNeutral: !l.Wide}).StringWidth(text)
}

// Row returns the lines of a prefix, a text that continues below itself, and a tail at the right end of the
// first line. A text that has no room next to them begins below them.
func (l Layout) Row(prefix, text, tail string) []string {
	indent, end := l.Columns(prefix), l.Columns(tail)
	if end > 0 {
		end += gap
	}
	if l.Width <= 0 || indent+l.Columns(text)+end <= l.Paragraph() { // keeps the blanks of the text
		return []string{l.withTail(prefix+text, tail)}
	}
	switch word := l.longestWord(text); {
	case l.hasRoom(indent+end, word) || l.Paragraph()-belowIndent < word && indent+end <= narrowPrefix && l.hasRoom(indent+end, 0):
		return l.nextTo(prefix, text, tail, indent+end)
	case end > 0 && l.HasColumn(prefix) && l.hasRoom(indent, word):
		return l.below(prefix, text, tail, indent)
	}
	return l.below(prefix, text, tail, min(indent, belowIndent))
}

// HasColumn reports whether a line has room for a column of texts next to a prefix. Without it they begin
// below the prefix.
func (l Layout) HasColumn(prefix string) bool {
	return l.Width <= 0 || l.Paragraph()-l.Columns(prefix) >= minColumn
}

// hasRoom reports whether a line has room for a text and for one of its words next to used columns.
func (l Layout) hasRoom(used, word int) bool {
	return used <= belowIndent || l.Paragraph()-used >= max(minText, word)
}

func (l Layout) longestWord(text string) int {
	longest := 0
	for _, word := range l.words(text, l.Paragraph()-belowIndent) {
		longest = max(longest, l.Columns(word))
	}
	return longest
}

// nextTo returns a row whose text begins next to its prefix.
func (l Layout) nextTo(prefix, text, tail string, used int) []string {
	var lines []string
	for i, part := range l.Wrap(text, l.Paragraph()-used) {
		if i == 0 {
			lines = append(lines, l.withTail(prefix+part, tail))
			continue
		}
		lines = append(lines, strings.Repeat(" ", l.Columns(prefix))+part)
	}
	return lines
}

// below returns a row whose text is below its prefix and tail. Without a label in the prefix, the tail is
// last.
func (l Layout) below(prefix, text, tail string, indent int) []string {
	label := strings.TrimRight(prefix, " ")
	var lines []string
	switch {
	case label == "":
	case l.Columns(label+tail)+gap <= l.Paragraph() || tail == "":
		lines = append(lines, l.withTail(label, tail))
	default:
		lines = append(lines, label, strings.Repeat(" ", indent)+strings.TrimLeft(tail, " "))
	}
	for _, part := range l.Wrap(text, l.Paragraph()-indent) {
		lines = append(lines, strings.Repeat(" ", indent)+part)
	}
	if label == "" && tail != "" {
		lines = append(lines, strings.Repeat(" ", indent)+tail)
	}
	return lines
}

// withTail appends a tail that ends at the right end of the line, or follows after a gap.
func (l Layout) withTail(line, tail string) string {
	if tail == "" {
		return line
	}
	return line + strings.Repeat(" ", max(l.Paragraph()-l.Columns(line)-l.Columns(tail), gap)) + tail
}

// Paragraph returns the width of a paragraph.
func (l Layout) Paragraph() int {
	if l.Width <= 0 {
		return MaxParagraph
	}
	return min(l.Width, MaxParagraph)
}

// Wrap breaks a text at blanks into lines of at most room columns. Longer words stay whole.
func (l Layout) Wrap(text string, room int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range l.words(text, room) {
		columns := l.Columns(word)
		switch {
		case line == "":
			line, used = word, columns
		case used+1+columns <= room:
			line, used = line+" "+word, used+1+columns
		default:
			lines = append(lines, line)
			line, used = word, columns
		}
	}
	return append(lines, line)
}

// quoted matches a command in a sentence.
var quoted = regexp.MustCompile("`[^`]+`[^ ]*")

// words splits a text at blanks. A quoted command is one word if a line has room for it.
func (l Layout) words(text string, room int) []string {
	var all []string
	at := 0
	for _, span := range quoted.FindAllStringIndex(text, -1) {
		begin := strings.LastIndexByte(text[:span[0]], ' ') + 1 // an opening parenthesis belongs to it
		if begin < at || l.Columns(text[begin:span[1]]) > room {
			continue
		}
		all = append(append(all, strings.Fields(text[at:begin])...), text[begin:span[1]])
		at = span[1]
	}
	return l.tie(append(all, strings.Fields(text[at:])...), room)
}

// tied matches a word that stays with the next one: a number, a mark, a sign, or the first part of "(+1 −0)".
var tied = regexp.MustCompile(`^(\d+|\(\+\d+|[✓✗!?–~+−◐])$`)

// tie joins tied words with the next word if a line has room for both, or not even for that word.
func (l Layout) tie(words []string, room int) []string {
	var all []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		if i+1 < len(words) && tied.MatchString(word) && (l.Columns(word+" "+words[i+1]) <= room || l.Columns(words[i+1]) > room) {
			i++
			word += " " + words[i]
		}
		all = append(all, word)
	}
	return all
}

// Wrapped breaks text at blanks into lines of at most width columns. Longer words stay whole.
func Wrapped(text string, width int) []string { return Layout{}.Wrap(text, width) }

// Hanging splits a line after its columns, such as a label, or a mark and an ID. A wrapped text continues
// there. Columns are separated by two or more blanks.
func Hanging(line string) (columns, text string) {
	const maxColumns = 20 // width of the columns
	text = strings.TrimLeft(line, " ")
	for {
		_, rest, found := strings.Cut(text, "  ")
		rest = strings.TrimLeft(rest, " ")
		if !found || rest == "" || len(line)-len(rest) > maxColumns {
			return line[:len(line)-len(text)], text
		}
		text = rest
	}
}
