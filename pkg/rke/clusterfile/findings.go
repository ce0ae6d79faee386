package clusterfile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Finding is a key that rke ignores and that looks like one it knows.
type Finding struct {
	Line   int
	Path   string // dotted, with the key as written
	Seen   string // the key
	Wanted string // the key that was probably meant
}

func (f Finding) String() string {
	return fmt.Sprintf("line %d: rke ignores %s; did you mean %s?", f.Line, f.Path, f.Wanted)
}

func findings(root *yaml.Node) []Finding {
	out := misspelt(root, nil, topKeys(), nil)
	each(root, func(k string, v *yaml.Node) {
		switch nearest(k, topKeys(), nil) {
		case "services":
			out = append(out, inServices(v, k)...)
		case "cloud_provider":
			out = append(out, misspelt(v, []string{k}, cloudProviderKeys(), nil)...)
		case "nodes":
			for i, n := range v.Content {
				out = append(out, misspelt(n, []string{fmt.Sprintf("%s[%d]", k, i)}, nodeKeys(), nil)...)
			}
		}
	})
	slices.SortStableFunc(out, func(a, b Finding) int { return a.Line - b.Line })
	return out
}

// inServices looks below misspelt services as well: who mends the one should
// hear of the other at once.
func inServices(v *yaml.Node, key string) []Finding {
	out := misspelt(v, []string{key}, serviceNames(), otherServiceNames())
	each(v, func(k string, v *yaml.Node) {
		if name := nearest(k, serviceNames(), otherServiceNames()); name != "" {
			out = append(out, misspelt(v, []string{key, k}, serviceKeys(name), nil)...)
		}
	})
	return out
}

func each(m *yaml.Node, do func(key string, v *yaml.Node)) {
	if m.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Kind == yaml.ScalarNode {
			do(m.Content[i].Value, m.Content[i+1])
		}
	}
}

func misspelt(m *yaml.Node, path, known []string, other map[string]string) []Finding {
	var out []Finding
	if m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		k := m.Content[i]
		if want := nearest(k.Value, known, other); want != "" && want != k.Value {
			full := append(slices.Clone(path), k.Value)
			out = append(out, Finding{k.Line, dotted(full), k.Value, want})
		}
	}
	return out
}

// nearest is the known key that a key is, or was probably meant to be; empty
// when it looks like none.
func nearest(key string, known []string, other map[string]string) string {
	if slices.Contains(known, key) {
		return key
	}
	folded := fold(key)
	for _, k := range known {
		if fold(k) == folded {
			return k
		}
	}
	if k, ok := other[folded]; ok {
		return k
	}
	best, least := "", 3
	for _, k := range known {
		// A short word is two letters away from many others.
		if d := distance(fold(k), folded); d < least && 4*d <= len(folded) {
			best, least = k, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(s))
}

// distance counts the letters to insert, drop, change or swap with a neighbour.
func distance(a, b string) int {
	const much = 64
	if len(a) > much || len(b) > much {
		return much
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
