package yamltext

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// bound returns the line of the first key after the last step's text, or the line after the
// last of the document.
func (d *Document) bound(s spot) int {
	for i := len(s.steps) - 1; i >= 0; i-- {
		if st := s.steps[i]; st.index+2 < len(st.in.Content) {
			return st.in.Content[st.index+2].Line - 1
		}
	}
	return d.documentEnd()
}

// documentEnd returns the line that ends the document (...), or the number of lines.
func (d *Document) documentEnd() int {
	for i := len(d.lines) - 1; i >= 0; i-- {
		if c := d.content(i); c == "..." || strings.HasPrefix(c, "... ") {
			return i
		}
	}
	return len(d.lines)
}

// region returns the last line of a key's text, given the line of the next key. Comments and
// blank lines between the two do not belong to it.
func (d *Document) region(s step, bound int) int {
	last := min(bound, len(d.lines)) - 1
	least := d.leafEnd(s.value, s.key.Column-1, bound, s.key.Line-1)
	for last > least && d.blankOrComment(last) {
		last--
	}
	return last
}

// leafEnd returns the last line that certainly belongs to the last scalar below n. The end of
// quoted text or of a block may look like a comment.
func (d *Document) leafEnd(n *yaml.Node, indent, bound, least int) int {
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		if end := d.quotedEnd(d.skipSpace(d.skipProperties(d.at(n)))); end > 0 {
			return max(least, d.lineAt(end-1))
		}
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return max(least, d.blockEnd(n, indent, bound))
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		return d.leafEnd(n.Content[len(n.Content)-1], n.Content[0].Column-1, bound, least)
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0:
		return d.leafEnd(n.Content[len(n.Content)-1], n.Column-1, bound, least)
	}
	return least
}

// blockEnd returns the last line of a literal or folded scalar: lines indented as its first
// one, or as its header demands; trailing blank lines only with +.
func (d *Document) blockEnd(n *yaml.Node, indent, bound int) int {
	at := d.skipProperties(d.at(n))
	header := d.lineAt(at)
	mark := strings.TrimLeft(string(d.text[at:d.lines[header].end]), " \t")
	mark, _, _ = strings.Cut(mark, " ")
	content := -1
	if i := strings.IndexAny(mark, "123456789"); i >= 0 {
		content = indent + int(mark[i]-'0')
	}
	last := header
	for i := header + 1; i < min(bound, len(d.lines)); i++ {
		if d.blank(i) {
			if strings.Contains(mark, "+") {
				last = i
			}
			continue
		}
		if content < 0 {
			content = d.indent(i)
		}
		if d.indent(i) < content {
			break
		}
		last = i
	}
	return last
}

// deeper returns the last line of a key's text and of the comments below it that have more
// indentation than the key. If they remained, a block scalar above would absorb them.
func (d *Document) deeper(s step, last, bound int) int {
	for i := last + 1; i < min(bound, len(d.lines)); i++ {
		switch {
		case d.blank(i):
		case d.indent(i) < s.key.Column:
			return last
		default:
			last = i
		}
	}
	return last
}

// blanks returns the last of the blank lines below a line. A block above that keeps its
// trailing lines (|+) would absorb them.
func (d *Document) blanks(last, bound int) int {
	for last+1 < min(bound, len(d.lines)) && d.blank(last+1) {
		last++
	}
	return last
}
