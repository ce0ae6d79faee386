package yamltext

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// at returns the byte offset of a node: of a block mapping its first key, and of a node with an
// anchor or a tag the anchor or the tag.
func (d *Document) at(n *yaml.Node) int { return d.offset(n.Line, n.Column) }

// tokenEnd returns the end of a scalar on one line, or -1 if the source differs from the
// parser's view, as for plain text over several lines.
func (d *Document) tokenEnd(n *yaml.Node) int {
	at := d.at(n)
	if at < 0 || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return -1
	}
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return d.quotedEnd(at)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return -1
	case n.Value != "" && strings.HasPrefix(string(d.text[at:]), n.Value) && !strings.ContainsAny(n.Value, "\r\n"):
		return at + len(n.Value)
	}
	return -1
}

// quotedEnd returns the offset after the closing quote of the scalar that begins at at.
func (d *Document) quotedEnd(at int) int {
	if at >= len(d.text) {
		return -1
	}
	quote := d.text[at]
	if quote != '"' && quote != '\'' {
		return -1
	}
	for i := at + 1; i < len(d.text); i++ {
		switch {
		case d.text[i] == '\\' && quote == '"':
			i++
		case d.text[i] != quote:
		case quote == '\'' && i+1 < len(d.text) && d.text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// colon returns the offset after the colon of a key, or -1 if none follows on its line.
func (d *Document) colon(key *yaml.Node) int {
	at := d.tokenEnd(key)
	if at < 0 {
		return -1
	}
	at = d.skipBlanks(at)
	if at < len(d.text) && d.text[at] == ':' {
		return at + 1
	}
	return -1
}

func (d *Document) skipBlanks(at int) int {
	for at < len(d.text) && (d.text[at] == ' ' || d.text[at] == '\t') {
		at++
	}
	return at
}

// skipSpace skips blanks, breaks and comments.
func (d *Document) skipSpace(at int) int {
	for at < len(d.text) {
		switch n := breakLen(d.text[at:]); {
		case n > 0:
			at += n
		case d.text[at] == ' ' || d.text[at] == '\t':
			at++
		case d.text[at] == '#':
			at = d.lines[d.lineAt(at)].end
		default:
			return at
		}
	}
	return at
}

// skipProperties skips an anchor and a tag at at.
func (d *Document) skipProperties(at int) int {
	for {
		next := d.skipBlanks(at)
		if next >= len(d.text) || (d.text[next] != '&' && d.text[next] != '!') {
			return at
		}
		for next < len(d.text) && d.text[next] != ' ' && d.text[next] != '\t' && breakLen(d.text[next:]) == 0 {
			next++
		}
		at = next
	}
}

// flowEnd returns the offset after the bracket that closes the one at at. A quote counts only
// where a scalar begins: the one in it's is text.
func (d *Document) flowEnd(at int) int {
	depth, fresh := 0, true
	for i := at; i >= 0 && i < len(d.text); {
		c := d.text[i]
		switch {
		case c == '{' || c == '[':
			depth, fresh = depth+1, true
		case c == '}' || c == ']':
			if depth, fresh = depth-1, false; depth == 0 {
				return i + 1
			}
		case fresh && (c == '"' || c == '\''):
			i, fresh = d.quotedEnd(i), false
			continue
		case c == '#' && i > 0 && (d.text[i-1] == ' ' || d.text[i-1] == '\t' || breakLen(d.text[i-1:]) > 0):
			i = d.lines[d.lineAt(i)].end
			continue
		case c == ',' || c == ':':
			fresh = true
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			fresh = false
		}
		i++
	}
	return -1
}

// flow reports whether a mapping is in braces.
func flow(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 }

func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// emptyFlow reports whether a node is {}.
func emptyFlow(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && len(n.Content) == 0 }
