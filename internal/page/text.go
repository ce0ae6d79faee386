package page

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Text formats a document as lines of at most width columns, except for longer words and code.
// Links are numbered and listed at the end, as link formats them.
func Text(markdown string, width int, link func(target string) string) []string {
	w := &writer{width: width, link: link}
	var last block
	for i, b := range blocksOf(markdown) {
		if i > 0 && (b.kind != item || last.kind != item) {
			w.lines = append(w.lines, "")
		}
		w.block(b)
		last = b
	}
	if len(w.links) > 0 {
		w.lines = append(w.lines, "")
	}
	for i, target := range w.links {
		w.lines = append(w.lines, fmt.Sprintf("[%d] %s", i+1, target))
	}
	return w.lines
}

type writer struct {
	width int
	link  func(string) string
	lines []string
	links []string
}

func (w *writer) block(b block) {
	switch b.kind {
	case heading:
		text := w.inline(b.text)
		line, from := "-", len(w.lines)
		if b.level == 1 {
			line = "="
		}
		w.wrap("", "", text)
		longest := 0
		for _, one := range w.lines[from:] {
			longest = max(longest, utf8.RuneCountInString(one))
		}
		w.lines = append(w.lines, strings.Repeat(line, longest))
	case item:
		indent := strings.Repeat(" ", b.level)
		w.wrap(indent+b.mark+" ", indent+strings.Repeat(" ", len(b.mark)+1), b.text)
	case code:
		for _, line := range strings.Split(b.text, "\n") {
			w.lines = append(w.lines, "    "+line)
		}
	case table:
		w.table(b.rows)
	case paragraph:
		w.wrap("", "", b.text)
	}
}

// table writes each row as an item: the first cell, then the others below it with their headers.
// Columns next to each other would be too wide for a terminal. The second of two columns follows the
// first on its line and needs no header.
func (w *writer) table(rows [][]string) {
	if len(rows) == 0 {
		return
	}
	for i, row := range rows[1:] {
		if i > 0 {
			w.lines = append(w.lines, "")
		}
		if len(rows[0]) == 2 && len(row) == 2 {
			colon := ":"
			if strings.HasSuffix(row[0], ".") {
				colon = ""
			}
			w.wrap("* ", "  ", row[0]+colon+" "+row[1])
			continue
		}
		w.wrap("* ", "  ", row[0])
		for column := 1; column < len(row) && column < len(rows[0]); column++ {
			if head := w.inline(rows[0][column]); row[column] != "" {
				w.wrap("    "+head+": ", "      ", row[column])
			}
		}
	}
}

// wrap writes a text as lines; the first line has its own prefix.
func (w *writer) wrap(first, others, text string) {
	line := first
	begin := utf8.RuneCountInString(first)
	for i, word := range strings.Fields(w.inline(text)) {
		long := utf8.RuneCountInString(line) + 1 + utf8.RuneCountInString(word)
		switch {
		case i == 0 && long-1 > w.width && len(first) > len(others): // below the prefix it has more room
			w.lines = append(w.lines, strings.TrimRight(first, " "))
			line, begin = others+word, -1
		case i == 0 || utf8.RuneCountInString(line) == begin:
			line += word
		case long <= w.width:
			line += " " + word
		default:
			w.lines = append(w.lines, line)
			line, begin = others+word, -1
		}
	}
	w.lines = append(w.lines, line)
}

var (
	linkPattern = regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`)
	boldPattern = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// inline removes the marks from a text, except for code.
func (w *writer) inline(text string) string {
	text = linkPattern.ReplaceAllStringFunc(text, func(found string) string {
		match := linkPattern.FindStringSubmatch(found)
		return fmt.Sprintf("%s [%d]", match[1], w.linkNumber(w.link(match[2])))
	})
	return boldPattern.ReplaceAllString(text, "$1")
}

// linkNumber returns the number of a link. Equal targets have equal numbers.
func (w *writer) linkNumber(target string) int {
	for i, known := range w.links {
		if known == target {
			return i + 1
		}
	}
	w.links = append(w.links, target)
	return len(w.links)
}
