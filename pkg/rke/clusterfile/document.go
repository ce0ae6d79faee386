package clusterfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	yaml2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

// maxSize keeps a wrong file, a log or an image, from being parsed for minutes.
const maxSize = 4 << 20

// rancherKey is the key under which Rancher nests a cluster.yml.
const rancherKey = "rancher_kubernetes_engine_config"

// document is one parsed text. Nodes are for positions and structure; they are
// never encoded.
type document struct {
	source
	root    *yaml.Node // the top-level mapping
	generic any        // the same text as yaml.v2, rke's decoder, reads it
	aliased map[string]int
}

func load(text []byte) (*document, *refusal) {
	if r := unsuitable(text); r != nil {
		return nil, r
	}
	d := &document{source: newSource(text), aliased: map[string]int{}}
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &refusal{reason: ReasonEmpty, seen: "holds no YAML", wanted: "an RKE cluster configuration"}
	case err != nil:
		return nil, d.notYAML(err, nil)
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, &refusal{
			reason: ReasonSeveralDocuments, line: second.Line,
			seen: "a second YAML document begins here", wanted: "one document: rke ignores all but the first",
		}
	case !errors.Is(err, io.EOF):
		return nil, d.notYAML(err, nil)
	}
	if err := yaml2.Unmarshal(text, &d.generic); err != nil {
		return nil, d.notYAML(err, doc.Content[0])
	}
	d.root = doc.Content[0]
	collectAliases(d.root, d.aliased)
	return d, d.unfit()
}

// unsuitable looks at the bytes alone. The scanner reads UTF-16 as well, where
// no position would be right.
func unsuitable(text []byte) *refusal {
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) == 0:
		return &refusal{reason: ReasonEmpty, seen: "is empty", wanted: "an RKE cluster configuration"}
	case len(text) > maxSize:
		return &refusal{
			reason: ReasonNotYAML, seen: fmt.Sprintf("is %d bytes long", len(text)),
			wanted: fmt.Sprintf("a cluster.yml of at most %d bytes", maxSize),
		}
	case !utf8.Valid(text):
		return &refusal{reason: ReasonNotYAML, line: invalidLine(text), seen: "text that is not UTF-8", wanted: "YAML in UTF-8"}
	}
	return nil
}

func invalidLine(text []byte) int {
	for i, l := range newSource(text).lines {
		if !utf8.Valid(text[l.start:l.next]) {
			return i + 1
		}
	}
	return 0
}

// unfit refuses what is YAML but no cluster.yml that can be edited anywhere.
func (d *document) unfit() *refusal {
	switch {
	case d.root.Kind == yaml.ScalarNode && d.root.ShortTag() == "!!null",
		d.root.Kind == yaml.MappingNode && len(d.root.Content) == 0:
		return &refusal{reason: ReasonEmpty, seen: "holds no keys", wanted: "an RKE cluster configuration"}
	case d.root.Kind != yaml.MappingNode:
		return &refusal{reason: ReasonWrongKind, line: d.root.Line, seen: "begins with " + kindName(d.root), wanted: "a mapping with nodes and services"}
	}
	seen := map[string]int{}
	for i := 0; i < len(d.root.Content); i += 2 {
		k := d.root.Content[i]
		if first, twice := seen[k.Value]; twice && k.Kind == yaml.ScalarNode && slices.Contains(editedKeys(), k.Value) {
			return duplicate(k, k.Value, first)
		}
		seen[k.Value] = k.Line
		if k.Value == rancherKey {
			return &refusal{
				reason: ReasonRancherYAML, line: k.Line,
				seen:   rancherKey + " at top level: this is the YAML of a cluster that Rancher manages, and rke ignores all below that key",
				wanted: "the cluster.yml of the rke command line",
				fix:    "for a cluster managed by Rancher run `awsmigrate rke --cluster NAME`",
			}
		}
	}
	return nil
}

func duplicate(k *yaml.Node, path string, first int) *refusal {
	return &refusal{
		reason: ReasonDuplicateKey, line: k.Line,
		seen:   fmt.Sprintf("%s a second time, after line %d", path, first),
		wanted: "each key once: of two, rke merges some and drops others",
		fix:    "merge the two by hand",
	}
}

func collectAliases(n *yaml.Node, into map[string]int) {
	if n.Kind == yaml.AliasNode {
		if _, seen := into[n.Value]; !seen {
			into[n.Value] = n.Line
		}
		return
	}
	for _, c := range n.Content {
		collectAliases(c, into)
	}
}

// oneLine is an error as one line, for messages that are one.
func oneLine(err error) error {
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}

// excerpt keeps secrets and long lines out of messages: the key and the first
// characters say enough.
func excerpt(s string) string {
	const most = 60
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	default:
		if n.ShortTag() == "!!null" {
			return "null"
		}
		return "a single value"
	}
}
