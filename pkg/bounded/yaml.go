package bounded

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// CheckYAML returns an error if a YAML document, or JSON, exceeds the limits, with each
// alias counted as what it stands for. A text that is not YAML may pass: the decoder refuses
// it.
func (l Limits) CheckYAML(text []byte) error {
	if err := l.checkBytes(text); err != nil {
		return err
	}
	if mayHoldValues(text) > l.Values {
		return &ExceededError{Limit: l.Values, Unit: "values"}
	}
	if !bytes.ContainsRune(text, '*') {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	expanded := expansion{limit: l.Values, sizes: map[*yaml.Node]int{}}
	for total := 0; ; {
		var document yaml.Node
		if err := decoder.Decode(&document); err != nil {
			return nil //nolint:nilerr // at the end; a text that is no YAML is for its decoder to refuse
		}
		if total += expanded.of(&document); total > l.Values {
			return &ExceededError{Limit: l.Values, Unit: "values"}
		}
	}
}

// mayHoldValues returns an upper bound of the values in a YAML text: each but the first
// follows the end of a line, an indicator of a flow collection, or a blank behind one of a
// block collection.
func mayHoldValues(text []byte) int {
	values := 1
	for i, b := range text {
		switch b {
		case '\n', '\r', ',', '[', '{', ':':
			values++
		case '-', '?':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\t') {
				values++
			}
		}
	}
	return values
}

// expansion counts the values that nodes stand for, up to a limit.
type expansion struct {
	limit int
	sizes map[*yaml.Node]int
}

// of returns the number of values in a node. One that contains itself has more than any limit.
func (e expansion) of(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := e.sizes[n]; known {
		return size
	}
	e.sizes[n] = e.limit + 1 // until it is counted: for an alias inside of it
	size := 1
	for _, child := range n.Content {
		if size = size + e.of(child); size > e.limit {
			break
		}
	}
	e.sizes[n] = size
	return size
}
