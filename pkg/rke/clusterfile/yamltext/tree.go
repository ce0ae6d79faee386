package yamltext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	yaml2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

type kind byte

const (
	scalar   kind = 's'
	mapping  kind = 'm'
	sequence kind = 'l'
)

// value is the meaning of a text, without places, comments and styles. It keeps duplicates and
// the order of equal keys. Two values are equal if their dumps are.
type value struct {
	kind    kind
	text    string // type and text of a scalar
	entries []entry
	items   []*value
}

type entry struct {
	key   string // dump of the key
	value *value
}

// dialect describes how one decoder identifies keys and scalars.
type dialect struct {
	of     func(*Document) *value
	key    func(string) string
	scalar func(Change) *value
}

// dialects returns the two decoders that an edit must satisfy. One is yaml.v3, which supplied
// the positions, with anchors, tags and source text distinguished. The other is yaml.v2, which
// knows the words of YAML 1.1 (yes, on) and is used by older programs.
func dialects() []dialect {
	return []dialect{
		{
			of: func(d *Document) *value { return fromNode(d.root) },
			key: func(s string) string {
				return dump(fromNode(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}))
			},
			scalar: func(c Change) *value {
				n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: *c.Value}
				if c.Style == Plain {
					n.Tag = "" // resolved from the text
				}
				return fromNode(n)
			},
		},
		{
			of:  func(d *Document) *value { return fromAny(d.generic) },
			key: func(s string) string { return dump(fromAny(s)) },
			scalar: func(c Change) *value {
				var v any = *c.Value
				if c.Style == Plain {
					if yaml2.Unmarshal([]byte(*c.Value), &v) != nil {
						v = nil
					}
				}
				return fromAny(v)
			},
		},
	}
}

func fromNode(n *yaml.Node) *value {
	mark := n.ShortTag()
	if n.Anchor != "" {
		mark += "&" + n.Anchor
	}
	switch n.Kind {
	case yaml.MappingNode:
		v := &value{kind: mapping, text: mark}
		for i := 0; i < len(n.Content); i += 2 {
			v.entries = append(v.entries, entry{dump(fromNode(n.Content[i])), fromNode(n.Content[i+1])})
		}
		return v
	case yaml.SequenceNode:
		v := &value{kind: sequence, text: mark}
		for _, c := range n.Content {
			v.items = append(v.items, fromNode(c))
		}
		return v
	case yaml.AliasNode:
		return &value{kind: scalar, text: "*" + n.Value}
	default:
		text := n.Value
		if mark == "!!null" {
			text = "" // null, ~ and an empty value are equal
		}
		return &value{kind: scalar, text: mark + "|" + text}
	}
}

func fromAny(a any) *value {
	switch a := a.(type) {
	case map[any]any:
		v := &value{kind: mapping}
		for k, c := range a {
			v.entries = append(v.entries, entry{dump(fromAny(k)), fromAny(c)})
		}
		return v
	case []any:
		v := &value{kind: sequence}
		for _, c := range a {
			v.items = append(v.items, fromAny(c))
		}
		return v
	default:
		return &value{kind: scalar, text: fmt.Sprintf("%T|%v", a, a)}
	}
}

// dump encodes a value so that different values differ. Keys are sorted, and equal keys keep
// their order.
func dump(v *value) string {
	var b strings.Builder
	v.dump(&b)
	return b.String()
}

func (v *value) dump(b *strings.Builder) {
	b.WriteByte(byte(v.kind))
	b.WriteString(strconv.Quote(v.text))
	entries := slices.Clone(v.entries)
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for _, e := range entries {
		b.WriteString("(" + e.key + "=")
		e.value.dump(b)
		b.WriteByte(')')
	}
	for _, i := range v.items {
		b.WriteByte('[')
		i.dump(b)
		b.WriteByte(']')
	}
}

func (v *value) find(key string) *value {
	for _, e := range v.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

func (v *value) put(key string, child *value) {
	for i, e := range v.entries {
		if e.key == key {
			v.entries[i].value = child
			return
		}
	}
	v.entries = append(v.entries, entry{key, child})
}

func (v *value) remove(key string) {
	v.entries = slices.DeleteFunc(v.entries, func(e entry) bool { return e.key == key })
}

// empty reports whether a value is a mapping without keys. A null may become one.
func (v *value) empty() bool { return v.kind == mapping && len(v.entries) == 0 }

// apply makes a change in v.
func (c Change) apply(v *value, d dialect) {
	var chain []*value
	for i, name := range c.Path {
		if v.kind != mapping {
			if c.Value == nil {
				return
			}
			*v = value{kind: mapping, text: v.newMapping()}
		}
		chain = append(chain, v)
		last, child := i == len(c.Path)-1, v.find(d.key(name))
		switch {
		case last && c.Value != nil:
			v.put(d.key(name), d.scalar(c))
		case last:
			c.take(chain, d)
		case child == nil && c.Value == nil:
			return
		case child == nil:
			child = &value{kind: mapping, text: v.newMapping()}
			v.put(d.key(name), child)
		}
		v = child
	}
}

// newMapping returns the tag of a mapping that replaces v: yaml.v3 gives each its tag, yaml.v2
// none.
func (v *value) newMapping() string {
	if strings.HasPrefix(v.text, "!!") {
		return "!!map"
	}
	return ""
}

func (c Change) take(chain []*value, d dialect) {
	chain[len(chain)-1].remove(d.key(c.Path[len(c.Path)-1]))
	i := len(chain) - 1
	for ; i > 0 && chain[i].empty() && c.prunes(c.Path[:i]); i-- {
		chain[i-1].remove(d.key(c.Path[i-1]))
	}
	if b, ok := c.blank(c.Path[:i]); ok && i > 0 && chain[i].empty() && b.null() {
		chain[i-1].put(d.key(c.Path[i-1]), d.scalar(Set("~", Plain)))
	}
}
