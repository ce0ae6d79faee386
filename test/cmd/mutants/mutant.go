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

// mutant is a package with one thing changed.
type mutant struct {
	pkg    *pkg
	source *source
	line   int
	what   string
	edits  []edit // in order, one beside the other
}

// text is the source with the change.
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

// String is one line: where, what, and how the first changed line reads, both ways.
func (m mutant) String() string {
	before, after := string(m.source.text), m.text()
	begin := strings.LastIndexByte(before[:m.edits[0].from], '\n') + 1
	at := m.edits[0].from - begin
	return fmt.Sprintf("%s:%d: %s: %s => %s", m.source.shown, m.line, m.what, around(before[begin:], at), around(after[begin:], at))
}

// around is the first line of a text; of a long one, what is around a place in it.
func around(text string, at int) string {
	const most, ahead = 120, 40
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > most {
		from := min(max(at-ahead, 0), len(line)-most)
		line = strings.ToValidUTF8(line[from:from+most], "")
	}
	return strings.TrimSpace(line)
}
