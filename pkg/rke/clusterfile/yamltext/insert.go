package yamltext

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// fillEmpty turns "key:" or "key: {}" into a mapping with the wanted keys. It also returns the
// replaced text.
func (d *Document) fillEmpty(c Change, s spot) ([]attempt, []Blank, *refusal) {
	parent, path := s.last(), c.Path[:len(s.steps)]
	v := parent.value
	from := d.colon(parent.key)
	end := from
	switch {
	case v.Anchor != "" || v.Style&yaml.TaggedStyle != 0:
		return nil, nil, &refusal{
			cause: causeForm, line: v.Line, seen: Dotted(path) + " is empty and carries an anchor or a tag", wanted: "a mapping without",
		}
	case emptyFlow(v):
		end = d.flowEnd(d.at(v))
	case v.Value != "":
		end = d.tokenEnd(v)
	}
	if end < 0 {
		return nil, nil, &refusal{cause: causeForm, line: v.Line, seen: "an empty mapping in a form that cannot be edited", wanted: "{}"}
	}
	if flow(parent.in) {
		quoted := parent.key.Style&yaml.DoubleQuotedStyle != 0
		return []attempt{{{from, end, " {" + braces(c, s.missing, quoted) + "}"}}}, d.blankAt(path, from, end), nil
	}
	l := d.lineAt(end - 1)
	stop := d.lines[l].end
	tail := string(d.text[end:stop])
	if strings.Trim(tail, " \t") == "" {
		end, tail = stop, ""
	}
	indent := parent.key.Column - 1 + d.width()
	return d.endings(splice{from, stop, tail + d.eol(l) + d.block(c, s.missing, indent, d.eol(l))}, l), d.blankAt(path, from, end), nil
}

// blankAt returns the replaced text of an empty mapping, or nil if it had other text, such as
// a comment in braces.
func (d *Document) blankAt(path []string, from, end int) []Blank {
	if text := string(d.text[from:end]); blankText.MatchString(text) {
		return []Blank{{path, text}}
	}
	return nil
}

// intoBraces puts an entry first into a flow mapping that has others: on its own line if they
// have theirs, and otherwise directly before the first.
func (d *Document) intoBraces(c Change, s spot, m *yaml.Node) []attempt {
	first := m.Content[0]
	entry := braces(c, s.missing, first.Style&yaml.DoubleQuotedStyle != 0)
	open, at := d.skipSpace(d.skipProperties(d.at(m))), d.at(first)
	if l := d.lineAt(open); d.lineAt(at) > l {
		stop := d.lines[l].end
		lead := strings.Repeat(" ", d.indent(d.lineAt(at)))
		return []attempt{{{stop, stop, d.eol(l) + lead + entry + ","}}}
	}
	return []attempt{{{at, at, entry + ", "}}}
}

// appendTop adds a top-level key at the end of the file. If that would change the last value,
// it adds the key before the last key and its comments.
func (d *Document) appendTop(c Change, s spot) []attempt {
	indent := d.root.Content[0].Column - 1
	last := len(d.lines) - 1
	eol := d.eol(last)
	lines := d.block(c, s.missing, indent, eol)
	at := len(d.text)
	if end := d.documentEnd(); end < len(d.lines) {
		at = d.lines[end].start
		return []attempt{{{at, at, lines + eol}}}
	}
	out := []attempt{{{at, at, lines + eol}}}
	if !d.ended() {
		out = d.endings(splice{at, at, eol + lines}, last)
	}
	n := len(d.root.Content)
	before := d.lines[d.root.Content[n-2].Line-1].start
	if n > 2 {
		prev := step{in: d.root, key: d.root.Content[n-4], value: d.root.Content[n-3], index: n - 4}
		before = d.lines[d.region(prev, d.root.Content[n-2].Line-1)].next
	}
	if before == 0 {
		before = d.bom()
	}
	return append(out, attempt{{before, before, lines + eol}})
}

// block returns missing keys as lines, without the final break.
func (d *Document) block(c Change, missing []string, indent int, eol string) string {
	var b strings.Builder
	for i, name := range missing {
		in := indent + i*d.width()
		if i > 0 {
			b.WriteString(eol)
		}
		b.WriteString(strings.Repeat(" ", in) + keyText(name, false) + ":")
		if i == len(missing)-1 {
			b.WriteString(" " + c.text(nil, false, in+d.width(), eol))
		}
	}
	return b.String()
}

// braces returns missing keys as one entry of a flow mapping.
func braces(c Change, missing []string, quoted bool) string {
	if quoted && !isBool(*c.Value) {
		c.Style = Quoted
	}
	value := c.text(nil, true, 0, "")
	for i := len(missing) - 1; i > 0; i-- {
		value = "{" + keyText(missing[i], quoted) + ": " + value + "}"
	}
	return keyText(missing[0], quoted) + ": " + value
}

// width returns the file's indentation: that of its first nested block mapping.
func (d *Document) width() int {
	const usual = 2
	var first func(n *yaml.Node) int
	first = func(n *yaml.Node) int {
		for i := 1; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			v := n.Content[i]
			if v.Kind == yaml.MappingNode && len(v.Content) > 0 && !flow(v) && !flow(n) {
				if w := v.Content[0].Column - n.Content[0].Column; w > 0 {
					return w
				}
			}
			if w := first(v); w > 0 {
				return w
			}
		}
		return 0
	}
	if w := first(d.root); w > 0 {
		return w
	}
	return usual
}
