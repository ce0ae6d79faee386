package main

import (
	"fmt"
	"strings"
)

// edit replaces bytes of a source.
type edit struct {
	from, to int
	with     string
}

// mutant is a package with one change.
type mutant struct {
	pkg    *pkg
	source *source
	line   int
	what   string
	edits  []edit // in order, without overlaps
}

// text returns the source with the change.
func (m mutant) text() string {
	var out strings.Builder
	at := 0
	for _, e := range m.edits {
		out.Write(m.source.text[at:e.from])
		out.WriteString(e.with)
		at = e.to
	}
	out.Write(m.source.text[at:])
	return out.String()
}

// String returns one line: the place, the change, and the first changed line before and after.
func (m mutant) String() string {
	before, after := string(m.source.text), m.text()
	begin := strings.LastIndexByte(before[:m.edits[0].from], '\n') + 1
	at := m.edits[0].from - begin
	return fmt.Sprintf("%s:%d: %s: %s => %s", m.source.shown, m.line, m.what, excerpt(before[begin:], at), excerpt(after[begin:], at))
}

// excerpt returns the first line of a text, or the part of a long line around a place.
func excerpt(text string, at int) string {
	const maxLength, ahead = 120, 40
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > maxLength {
		from := min(max(at-ahead, 0), len(line)-maxLength)
		line = strings.ToValidUTF8(line[from:from+maxLength], "")
	}
	return strings.TrimSpace(line)
}
