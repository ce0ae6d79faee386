package yamltext

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// deleteFlow deletes an entry of a mapping in braces with one comma, and its comment, which
// starts at line first.
func (d *Document) deleteFlow(s step, first int, only bool) ([]attempt, *refusal) {
	start, end := d.at(s.key), d.valueEnd(s)
	if end < 0 {
		return nil, &refusal{cause: causeForm, line: s.key.Line, seen: "a value in braces in a form that cannot be edited", wanted: "a simple value",
			fix: "delete " + s.key.Value + " by hand"}
	}
	after := d.skipSpace(end)
	comma := after < len(d.text) && d.text[after] == ','
	switch {
	case only:
		return []attempt{d.removeOnly(s, start, end, after, comma)}, nil
	case comma:
		cut := d.entryCut(start, after+1)
		return []attempt{{d.withComment(cut, first)}, {cut}}, nil
	}
	before := d.commaBefore(s)
	if before < 0 {
		return nil, &refusal{cause: causeForm, line: s.key.Line, seen: "the entry before " + s.key.Value + " is in a form that cannot be edited", wanted: "a simple value",
			fix: "delete " + s.key.Value + " by hand"}
	}
	if strings.Trim(string(d.text[before+1:start]), " \t") == "" {
		return []attempt{{{before, end, ""}}}, nil
	}
	// A comment may separate the two; it remains. A comma before the brace is allowed, and
	// required if the comment follows it without a blank.
	cut := d.entryCut(start, end)
	full := d.withComment(cut, first)
	if full.start <= before {
		full = cut
	}
	return []attempt{{{before, before + 1, ""}, full}, {{before, before + 1, ""}, cut}, {cut}}, nil
}

// withComment extends a cut that starts at the beginning of a line to the comment above it.
func (d *Document) withComment(cut splice, first int) splice {
	if start := d.lines[first].start; start < cut.start && cut.start == d.lines[d.lineAt(cut.start)].start {
		cut.start = start
	}
	return cut
}

// emptyBraces deletes the only entry, and the braces if an edit had added them.
func (d *Document) emptyBraces(c Change, s spot) ([]attempt, *refusal) {
	above := spot{steps: s.steps[:len(s.steps)-1]}
	from, end := d.colon(above.last().key), d.valueEnd(above.last())
	if _, known := c.blank(c.Path[:len(above.steps)]); known && from >= 0 && end >= 0 && d.lineAt(from) == d.lineAt(end) && above.last().value.Anchor == "" {
		return []attempt{{{from, end, c.refill(above)}}}, nil
	}
	return d.deleteFlow(s.last(), s.last().key.Line-1, true)
}

// removeOnly returns the deletion of the only entry and the blanks around it.
func (d *Document) removeOnly(s step, start, end, after int, comma bool) attempt {
	if comma {
		if d.lineAt(after) != d.lineAt(end-1) {
			return attempt{{start, end, ""}, {after, after + 1, ""}} // a comment in between remains
		}
		end = after + 1
	}
	open := d.skipProperties(d.at(s.in))
	shut := d.skipBlanks(end)
	if open+1 <= start && strings.Trim(string(d.text[open+1:start]), " \t") == "" && shut < len(d.text) && d.text[shut] == '}' {
		start, end = open+1, shut
	}
	return attempt{{start, end, ""}}
}

// commaBefore returns the offset of the comma between an entry and the previous one, or -1 if
// it cannot be determined.
func (d *Document) commaBefore(s step) int {
	prev := step{in: s.in, key: s.in.Content[s.index-2], value: s.in.Content[s.index-1], index: s.index - 2}
	end := d.valueEnd(prev)
	if end < 0 && null(prev.value) {
		end = d.tokenEnd(prev.key)
	}
	if end >= 0 {
		if end = d.skipSpace(end); end < len(d.text) && d.text[end] == ',' {
			return end
		}
		return -1
	}
	// A value over several lines: without a comment the comma directly precedes the entry.
	if back := len(strings.TrimRight(string(d.text[:d.at(s.key)]), " \t\r\n")); back > 0 && d.text[back-1] == ',' {
		return back - 1
	}
	return -1
}

// entryCut extends a cut to whole lines if they hold nothing but the entry and its comment,
// and otherwise over the blanks that follow.
func (d *Document) entryCut(start, end int) splice {
	first, last := d.lines[d.lineAt(start)], d.lines[d.lineAt(end-1)]
	rest := d.skipBlanks(end)
	comment := rest > end && rest < last.end && d.text[rest] == '#'
	if strings.Trim(string(d.text[first.start:start]), " ") == "" && (rest == last.end || comment) {
		return splice{first.start, last.next, ""}
	}
	return splice{start, d.skipBlanks(end), ""}
}

// valueEnd returns the offset at which an entry of a flow mapping ends.
func (d *Document) valueEnd(s step) int {
	switch v := s.value; {
	case v.Kind == yaml.MappingNode || v.Kind == yaml.SequenceNode:
		return d.flowEnd(d.skipSpace(d.skipProperties(d.at(v))))
	case v.Kind == yaml.AliasNode:
		return d.at(v) + 1 + len(v.Value)
	case v.Value == "" && null(v):
		return d.colon(s.key)
	default:
		return d.tokenEnd(v)
	}
}
