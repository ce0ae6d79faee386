package yamltext

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// attempt is one way to make a change. Of several, the first that is proven right is used.
type attempt []splice

func (d *Document) set(c Change) ([]attempt, Made, *refusal) {
	s, r := d.locate(c.Path)
	if r != nil {
		return nil, Made{}, r
	}
	if len(s.missing) == 0 {
		if c.holds(s.last().value) {
			return nil, Made{}, nil
		}
		a, r := d.replace(c, s.last())
		return a, Made{}, r
	}
	var made Made
	for i := len(c.Path) - len(s.missing) + 1; i < len(c.Path); i++ {
		made.Created = append(made.Created, c.Path[:i])
	}
	if len(s.steps) == 0 {
		if flow(d.root) {
			return d.intoBraces(c, s, d.root), made, nil
		}
		return d.appendTop(c, s), made, nil
	}
	parent := s.last()
	switch {
	case null(parent.value) || emptyFlow(parent.value):
		a, was, r := d.fillEmpty(c, s)
		made.Filled = was
		return a, made, r
	case flow(parent.value):
		return d.intoBraces(c, s, parent.value), made, nil
	default:
		// Insert below the parent's own line and not above its first child: a comment there
		// belongs to the child.
		l := parent.key.Line - 1
		indent := parent.value.Content[0].Column - 1
		at := d.lines[l].end
		return d.endings(splice{at, at, d.eol(l) + d.block(c, s.missing, indent, d.eol(l))}, l), made, nil
	}
}

// endings returns a splice that ends at the end of line l. If the file ends there without a
// break, it also returns the splice with a break, which a literal block may need.
func (d *Document) endings(s splice, l int) []attempt {
	with := s
	with.text += d.eol(l)
	return []attempt{{s}, {with}}
}

// replace overwrites a scalar, or fills a key without a value.
func (d *Document) replace(c Change, s step) ([]attempt, *refusal) {
	v := s.value
	name := Dotted(c.Path)
	switch {
	case v.Kind == yaml.AliasNode:
		return nil, alias(v, c.Path)
	case v.Kind != yaml.ScalarNode:
		return nil, &refusal{cause: causeWrongKind, line: v.Line, seen: name + " is " + kindName(v), wanted: "a single value"}
	case v.Anchor != "" || v.Style&yaml.TaggedStyle != 0:
		return nil, &refusal{cause: causeForm, line: v.Line, seen: name + " carries an anchor or a tag", wanted: "a value without"}
	}
	l := d.lineAt(d.colon(s.key) - 1)
	indent := s.key.Column - 1 + d.width()
	text := c.text(v, flow(s.in), indent, d.eol(l))
	switch end := d.tokenEnd(v); {
	case v.Value == "" && null(v):
		at := d.colon(s.key)
		return d.endings(splice{at, at, " " + text}, l), nil
	case end >= 0 && strings.HasPrefix(text, "|"):
		// A comment after the replaced value on its line cannot follow a block.
		return d.endings(splice{d.at(v), d.lines[d.lineAt(end)].end, text}, l), nil
	case end >= 0:
		return []attempt{{{d.at(v), end, text}}}, nil
	case v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		last := d.region(s, d.bound(spot{steps: []step{s}}))
		return d.endings(splice{d.at(v), d.lines[last].end, text}, l), nil
	default:
		return nil, &refusal{
			cause: causeMultiLine, line: v.Line, seen: name + " goes over several lines without quotes",
			wanted: "the value on one line",
		}
	}
}
