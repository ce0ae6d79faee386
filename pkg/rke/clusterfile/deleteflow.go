package clusterfile

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// deleteFlow takes an entry out of a mapping in braces, with one comma.
func (d *document) deleteFlow(s step, only bool) (attempt, *refusal) {
	start, end := d.at(s.key), d.valueEnd(s)
	if end < 0 {
		return nil, &refusal{reason: ReasonForm, line: s.key.Line, seen: "a value in braces in a form that cannot be edited", wanted: "a simple value"}
	}
	after := d.skipSpace(end)
	comma := after < len(d.text) && d.text[after] == ','
	if only {
		if comma {
			end = after + 1
		}
		open := d.skipProperties(d.at(s.in))
		shut := d.skipBlanks(end)
		if open+1 <= start && strings.Trim(string(d.text[open+1:start]), " \t") == "" && shut < len(d.text) && d.text[shut] == '}' {
			start, end = open+1, shut
		}
		return attempt{{start, end, ""}}, nil
	}
	if comma {
		return attempt{d.entryCut(start, after+1)}, nil
	}
	back := start
	for back > 0 && strings.ContainsRune(" \t\r\n", rune(d.text[back-1])) {
		back--
	}
	if back == 0 || d.text[back-1] != ',' {
		return nil, &refusal{
			reason: ReasonForm, line: s.key.Line, seen: "a comment before the last entry in braces", wanted: "the entry beside the others",
		}
	}
	if l := d.lineAt(start); d.lineAt(back-1) < l && d.skipBlanks(end) == d.lines[l].end {
		return attempt{{back - 1, back, ""}, {d.lines[l].start, d.lines[l].next, ""}}, nil
	}
	return attempt{{back - 1, end, ""}}, nil
}

// entryCut widens a cut to whole lines where nothing else stands on them, else
// over the blanks that follow.
func (d *document) entryCut(start, end int) splice {
	first, last := d.lines[d.lineAt(start)], d.lines[d.lineAt(end-1)]
	if strings.Trim(string(d.text[first.start:start]), " ") == "" && d.skipBlanks(end) == last.end {
		return splice{first.start, last.next, ""}
	}
	return splice{start, d.skipBlanks(end), ""}
}

// valueEnd is where an entry of a flow mapping ends.
func (d *document) valueEnd(s step) int {
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
