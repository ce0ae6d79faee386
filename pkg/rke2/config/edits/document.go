package edits

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// document is one YAML document of additionalManifest, as a range of bytes.
type document struct {
	start, end int // content, without the separator before it
	line       int // of its first byte, starting at 1
	separator  int // start of the separator line before it, -1 for the first
	// marked reports whether RKE2 reads the document together with the separator line, as it does
	// after an empty one: only then do comments that end in ... form a document.
	marked bool
}

// documents splits a manifest as RKE2 does: at lines that start with "---", followed only by
// blanks or a comment (k8s.io/apimachinery:pkg/util/yaml YAMLReader). It refuses other text after
// "---", which versions read differently, and bytes that are not UTF-8: a parser may read them as
// UTF-16, and as something else once our document follows.
func documents(text string) ([]document, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("it is not UTF-8")
	}
	docs := []document{{line: 1, separator: -1}}
	for at, line := 0, 1; at < len(text); line++ {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		if rest, ok := strings.CutPrefix(text[at:next], "---"); ok {
			if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
				return nil, fmt.Errorf("line %d has text after ---", line)
			}
			last := &docs[len(docs)-1]
			last.end = at
			docs = append(docs, document{start: next, line: line + 1, separator: at, marked: last.start == at && !last.marked})
		}
		at = next
	}
	docs[len(docs)-1].end = len(text)
	return docs, nil
}

// header holds the fields that identify an object.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Items []header `json:"items"`
}

// Chart names a HelmChart object. Namespace is the object's namespace: kube-system for RKE2's own
// charts, and for objects without a namespace.
type Chart struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

func (c Chart) String() string { return "HelmChart " + c.Namespace + "/" + c.Name }

func (c Chart) is(h header) bool {
	namespace := h.Metadata.Namespace
	if namespace == "" {
		namespace = wellknown.System
	}
	return strings.HasPrefix(h.APIVersion, "helm.cattle.io/") && h.Kind == "HelmChart" &&
		h.Metadata.Name == c.Name && namespace == c.Namespace
}

// isBlank reports whether a document has no object, only blanks and comments.
func isBlank(text string) bool {
	core := trimComments(text)
	return core.start == core.end
}

// span is a range of bytes.
type span struct{ start, end int }

// trimComments returns the part of a document from its first to its last line with content. The
// author of the manifest owns the comments and blank lines around it.
func trimComments(text string) span {
	s := span{len(text), len(text)}
	found := false
	for at := 0; at < len(text); {
		next := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := strings.TrimPrefix(text[at:next], "\ufeff")
		if trimmed := strings.TrimSpace(line); trimmed != "" && line[0] != '#' && (found || trimmed[0] != '#') {
			if !found {
				s.start, found = at, true
			}
			s.end = next
		}
		at = next
	}
	return s
}

// manifestLimits returns the limits of one document of an additional manifest. An API server
// accepts a Cluster of 1.5 MB, which as readable YAML has less than 100,000 values.
func manifestLimits() bounded.Limits { return bounded.Limits{Bytes: 2 << 20, Values: 1 << 17} }

func (d document) readHeader(text string) (header, error) {
	text = text[d.start:d.end]
	if d.marked {
		text = "---\n" + text
	}
	var h header
	if err := manifestLimits().CheckYAML([]byte(text)); err != nil {
		return header{}, fmt.Errorf("read as YAML: it %w", err)
	}
	if err := yaml.Unmarshal([]byte(text), &h); err != nil {
		return header{}, fmt.Errorf("read as YAML: %w", err)
	}
	return h, nil
}
