package yamltext

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// step is one key of a path with its mapping and value.
type step struct {
	in, key, value *yaml.Node
	index          int // index of the pair in the mapping
}

// spot describes how far a path leads into a document: the existing steps, and the missing
// elements.
type spot struct {
	steps   []step
	missing []string
}

func (s spot) last() step { return s.steps[len(s.steps)-1] }

// locate follows a path. It refuses paths for which an edit would be ambiguous: readers merge
// duplicate keys of their structures, take the last of other duplicates and honour merge keys,
// and an alias is text of another place.
func (d *Document) locate(path []string) (spot, *refusal) {
	var s spot
	at := d.root
	for i, name := range path {
		if r := d.editable(at, path[:i]); r != nil {
			return s, r
		}
		found, r := d.find(at, name, path[:i+1])
		if r != nil {
			return s, r
		}
		if found == nil {
			s.missing = path[i:]
			return s, nil
		}
		if r := d.clean(*found, path[:i+1]); r != nil {
			return s, r
		}
		s.steps = append(s.steps, *found)
		last := i == len(path)-1
		switch {
		case last:
		case null(found.value) || emptyFlow(found.value):
			s.missing = path[i+1:]
			return s, nil
		case found.value.Kind == yaml.AliasNode:
			return s, alias(found.value, path[:i+1])
		case found.value.Kind != yaml.MappingNode:
			return s, &refusal{
				cause: causeWrongKind, line: found.value.Line,
				seen: Dotted(path[:i+1]) + " is " + kindName(found.value), wanted: "a mapping",
			}
		}
		at = found.value
	}
	return s, nil
}

// editable refuses a mapping whose keys are not all its own.
func (d *Document) editable(m *yaml.Node, path []string) *refusal {
	for i := 0; i < len(m.Content); i += 2 {
		switch k := m.Content[i]; {
		case k.Kind == yaml.AliasNode:
			return alias(k, path)
		case k.Kind == yaml.ScalarNode && k.Value == "<<":
			return &refusal{
				cause: causeMergeKey, line: k.Line, seen: "a merge key (<<) in " + where(path),
				wanted: "keys in the place where they apply", fix: "write the merged keys out by hand",
			}
		case k.Kind != yaml.ScalarNode:
			return &refusal{cause: causeForm, line: k.Line, seen: kindName(k) + " as a key in " + where(path), wanted: "plain keys"}
		}
	}
	if line, used := d.aliased[m.Anchor]; m.Anchor != "" && used {
		return &refusal{
			cause: causeAlias, line: m.Line,
			seen:   fmt.Sprintf("%s carries anchor &%s, which line %d repeats", where(path), m.Anchor, line),
			wanted: "a mapping used in one place: an edit here would change the other as well",
			fix:    "write the other place out by hand",
		}
	}
	return nil
}

func alias(n *yaml.Node, path []string) *refusal {
	return &refusal{
		cause: causeAlias, line: n.Line, seen: fmt.Sprintf("%s is the alias *%s", where(path), n.Value),
		wanted: "keys in the place where they apply", fix: "write the aliased text out by hand",
	}
}

func where(path []string) string {
	if len(path) == 0 {
		return "the top level"
	}
	return Dotted(path)
}

func (d *Document) find(m *yaml.Node, name string, path []string) (*step, *refusal) {
	var found *step
	for i := 0; i < len(m.Content); i += 2 {
		if k := m.Content[i]; k.Value == name {
			if found != nil {
				return nil, d.duplicate(k, Dotted(path), found.key.Line)
			}
			found = &step{in: m, key: k, value: m.Content[i+1], index: i}
		}
	}
	return found, nil
}

// clean refuses keys in notations that splicing does not support: anchors and tags, several
// lines, explicit keys (?), templates.
func (d *Document) clean(s step, path []string) *refusal {
	form := func(seen string) *refusal {
		return &refusal{cause: causeForm, line: s.key.Line, seen: Dotted(path) + " " + seen, wanted: path[len(path)-1] + ": value"}
	}
	if d.colon(s.key) < 0 {
		return form("is written in a form that cannot be edited")
	}
	if !flow(s.in) {
		l := d.lines[s.key.Line-1]
		if before := string(d.text[l.start:d.at(s.key)]); strings.Trim(before, " "+byteOrderMark) != "" {
			return form("does not begin its line")
		}
	}
	if v := s.value; v.Kind == yaml.ScalarNode && v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 &&
		(strings.Contains(v.Value, "{{") || strings.Contains(v.Value, "{%") || strings.Contains(v.Value, "${")) {
		return &refusal{
			cause: causeTemplate, line: v.Line, seen: Dotted(path) + " holds a template marker: " + Excerpt(v.Value),
			wanted: d.rendered(),
		}
	}
	return nil
}
