package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	yaml2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
)

// Reader describes the program that finally reads a text, as far as edits and messages need
// it. The zero value accepts any YAML of any size.
type Reader struct {
	Name string // of the program
	// File names the text, Content describes it, and Top describes its top level.
	File, Content, Top string
	Render             string // how to render a template of the text
	Reasons            string // prefix of the reason of every error
	MaxValues          int    // with aliases expanded; 0 for no limit
	MaxSize            int    // bytes, so that a log or an image is not parsed for minutes; 0 for no limit
	// Takes returns an error if the program would not read a text. It is called with the result
	// of every edit. A nil Takes accepts all texts.
	Takes func(*Document) error
}

func (r Reader) takes(d *Document) error {
	if r.Takes == nil {
		return nil
	}
	return r.Takes(d)
}

// Document is a parsed text that can be edited. Its nodes serve for positions and structure;
// they are never encoded.
type Document struct {
	source
	name    string
	reader  Reader
	root    *yaml.Node // the top-level mapping
	generic any        // the same text as decoded by yaml.v2
	aliased map[string]int
}

// Parse reads one YAML document whose top level is a mapping with keys. Messages use name. It
// returns a *fault.Error of class Usage with the line if the text cannot be read, or not
// edited anywhere. It does not call Reader.Takes.
func Parse(name string, text []byte, reader Reader) (*Document, error) {
	d, r := load(name, text, reader)
	if r != nil {
		return nil, r.in(name, reader)
	}
	return d, nil
}

// Name returns the name given to Parse.
func (d *Document) Name() string { return d.name }

// Text returns the parsed text. Callers must not change it.
func (d *Document) Text() []byte { return d.text }

// Root returns the top-level mapping. Callers must not change it.
func (d *Document) Root() *yaml.Node { return d.root }

// Line returns the line of a key for messages, starting at 1, or 0 if the key is missing. Of
// duplicates it returns the last.
func (d *Document) Line(path ...string) int {
	at, found := d.root, 0
	for _, name := range path {
		found = 0
		for i := len(at.Content) - 2; i >= 0 && len(at.Content)%2 == 0; i -= 2 {
			if at.Content[i].Value == name {
				found, at = at.Content[i].Line, at.Content[i+1]
				break
			}
		}
		if found == 0 {
			return 0
		}
	}
	return found
}

func load(name string, text []byte, reader Reader) (*Document, *refusal) {
	if r := unsuitable(text, reader); r != nil {
		return nil, r
	}
	d := &Document{source: newSource(text), name: name, reader: reader, aliased: map[string]int{}}
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &refusal{cause: causeEmpty, seen: "holds no YAML", wanted: reader.Content}
	case err != nil:
		return nil, d.notYAML(err, nil)
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, &refusal{
			cause: causeSeveralDocuments, line: second.Line,
			seen: "a second YAML document begins here", wanted: "one document: " + reader.Name + " ignores all but the first",
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

// unsuitable checks the bytes alone. The scanner also reads UTF-16, for which all positions
// would be wrong.
func unsuitable(text []byte, reader Reader) *refusal {
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(byteOrderMark)))) == 0:
		return &refusal{cause: causeEmpty, seen: "is empty", wanted: reader.Content}
	case reader.MaxSize > 0 && len(text) > reader.MaxSize:
		return &refusal{
			cause: causeNotYAML, seen: fmt.Sprintf("is %d bytes long", len(text)),
			wanted: fmt.Sprintf("a %s of at most %d bytes", reader.File, reader.MaxSize),
		}
	case !utf8.Valid(text):
		return &refusal{cause: causeNotYAML, line: invalidLine(text), seen: "text that is not UTF-8", wanted: "YAML in UTF-8"}
	case reader.MaxValues > 0 && bounded.Exceeded((bounded.Limits{Bytes: len(text), Values: reader.MaxValues}).CheckYAML(text)):
		return &refusal{
			cause: causeNotYAML, seen: fmt.Sprintf("has more than %d values", reader.MaxValues),
			wanted: fmt.Sprintf("a %s of at most %d values, with each alias counted as what it stands for", reader.File, reader.MaxValues),
		}
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

// unfit refuses YAML that cannot be edited anywhere.
func (d *Document) unfit() *refusal {
	switch {
	case d.root.Kind == yaml.ScalarNode && d.root.ShortTag() == "!!null",
		d.root.Kind == yaml.MappingNode && len(d.root.Content) == 0:
		return &refusal{cause: causeEmpty, seen: "holds no keys", wanted: d.reader.Content}
	case d.root.Kind != yaml.MappingNode:
		return &refusal{cause: causeWrongKind, line: d.root.Line, seen: "begins with " + kindName(d.root), wanted: d.reader.Top}
	}
	return nil
}

// Twice returns an error for a duplicate key, for Readers that must not decide which one
// counts. first is the line of the first key.
func (d *Document) Twice(key *yaml.Node, path string, first int) error {
	return d.refused(d.duplicate(key, path, first))
}

func (d *Document) duplicate(k *yaml.Node, path string, first int) *refusal {
	return &refusal{
		cause: causeDuplicateKey, line: k.Line,
		seen:   fmt.Sprintf("%s a second time, after line %d", path, first),
		wanted: "each key once: of two, " + d.reader.Name + " merges some and drops others",
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

// OneLine returns err with its text joined to one line.
func OneLine(err error) error {
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}

// Excerpt shortens text so that messages show no secrets or long lines: the first characters
// suffice.
func Excerpt(s string) string {
	const limit = 60
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
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
