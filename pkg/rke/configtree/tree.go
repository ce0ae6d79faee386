package configtree

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text is the source text of a scalar in cluster.yml: rke uses arguments and options as they
// are written.
type Text string

// Of parses cluster.yml into maps, lists and Text. It merges duplicates and follows anchors, as
// rke does. It returns nil for a text that is not a mapping.
func Of(source []byte) map[string]any {
	var doc yaml.Node
	if yaml.Unmarshal(source, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	tree, _ := reader{}.value(doc.Content[0]).(map[string]any)
	return tree
}

// reader holds the anchors that are being followed. An anchor inside itself is omitted; rke
// refuses such a file.
type reader map[*yaml.Node]bool

func (r reader) value(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		if r[n.Alias] {
			return nil
		}
		r[n.Alias] = true
		defer delete(r, n.Alias)
		return r.value(n.Alias)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, r.value(c))
		}
		return list
	case yaml.MappingNode:
		return r.mapping(n)
	default:
		if n.ShortTag() == "!!null" {
			return nil
		}
		return Text(n.Value)
	}
}

func (r reader) mapping(n *yaml.Node) map[string]any {
	own, inherited := map[string]any{}, map[string]any{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], r.value(n.Content[i+1])
		if key.ShortTag() == "!!merge" {
			inherit(inherited, value)
			continue
		}
		own[key.Value] = joined(own[key.Value], value)
	}
	for key, value := range inherited {
		if _, given := own[key]; !given {
			own[key] = value
		}
	}
	return own
}

// inherit adds the content of a merge key: a mapping, or several of which the first wins.
func inherit(into map[string]any, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			if _, given := into[key]; !given {
				into[key] = v
			}
		}
	case []any:
		for _, one := range value {
			inherit(into, one)
		}
	}
}

// joined returns the value of a duplicate key: mappings are merged; of other values the last
// wins.
func joined(first, second any) any {
	a, ok := first.(map[string]any)
	b, also := second.(map[string]any)
	if !ok || !also {
		return second
	}
	for key, value := range b {
		a[key] = joined(a[key], value)
	}
	return a
}

// Number parses a scalar as a number.
func Number(s string) (float64, bool) {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return float64(n), true
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && !math.IsNaN(n)
}

// Bool parses the words of YAML 1.1 for true and false.
func Bool(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "y":
		return true, true
	case "false", "no", "off", "n":
		return false, true
	}
	return false, false
}
