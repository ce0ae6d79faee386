package clusterfile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Finding is a key that rke ignores.
type Finding struct {
	Line   int
	Path   string // dotted, with the key as written
	Seen   string // the key
	Wanted string // the key that was probably meant; "": like none that rke knows
}

func (f Finding) String() string {
	if f.Wanted == "" {
		return fmt.Sprintf("line %d: rke ignores %s", f.Line, f.Path)
	}
	return fmt.Sprintf("line %d: rke ignores %s; did you mean %s?", f.Line, f.Path, f.Wanted)
}

// findings holds every key of the file against what rke takes there.
func findings(d *yamltext.Document) []Finding {
	w := walk{d: d, schemas: schemas{}}
	w.value(d.Root(), reflect.TypeFor[rkeFile](), nil)
	slices.SortStableFunc(w.found, func(a, b Finding) int { return a.Line - b.Line })
	return w.found
}

type walk struct {
	d       *yamltext.Document
	schemas schemas
	found   []Finding
}

// value follows what is written as far as its kind is the one that rke wants. An
// alias is not followed: what it repeats is judged where it stands.
func (w *walk) value(n *yaml.Node, t reflect.Type, path []string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch known := w.schemas.of(t); {
	case n.Kind == yaml.MappingNode && known != nil:
		w.mapping(n, known, path)
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Map:
		for i := 0; i < len(n.Content); i += 2 {
			w.value(n.Content[i+1], t.Elem(), append(path, n.Content[i].Value))
		}
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for i, item := range n.Content {
			w.value(item, t.Elem(), indexed(path, i))
		}
	}
}

// mapping looks below misspelt keys as well: who corrects the one should hear of
// the other at once.
func (w *walk) mapping(n *yaml.Node, known *known, path []string) {
	var other map[string]string
	if len(path) == 1 && known.types["kube-controller"] != nil {
		other = otherServiceNames()
	}
	for i := 0; i < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.Value == "<<" {
			continue
		}
		full := append(path[:len(path):len(path)], k.Value)
		want := known.nearest(k.Value, other)
		if want != k.Value && (want != "" || !w.shelf(k, v)) {
			w.found = append(w.found, Finding{k.Line, yamltext.Dotted(full), k.Value, want})
		}
		if t := known.types[want]; t != nil {
			w.value(v, t, full)
		}
	}
}

// shelf says whether a key that rke does not know is there to be repeated
// elsewhere, or says by its name that it is an extension.
func (w *walk) shelf(k, v *yaml.Node) bool {
	return strings.HasPrefix(k.Value, "x-") || v.Anchor != "" && w.d.Repeated(v.Anchor)
}

// nearest is the known key that a key is, or was probably meant to be; empty
// when it looks like none.
func (k *known) nearest(key string, other map[string]string) string {
	if k.types[key] != nil {
		return key
	}
	folded := fold(key)
	if i := slices.Index(k.folded, folded); i >= 0 {
		return k.names[i]
	}
	if name, ok := other[folded]; ok {
		return name
	}
	best, least := "", 3
	for i, as := range k.folded {
		apart := len(as) - len(folded)
		if apart >= least || -apart >= least {
			continue
		}
		// A short word is two letters away from many others.
		if d := distance(as, folded); d < least && 4*d <= len(folded) {
			best, least = k.names[i], d
		}
	}
	return best
}

// fold is a key without what people get wrong in it: case and separators.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_- .", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
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
