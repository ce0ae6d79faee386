package bounded

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// CheckYAML returns an error if a YAML or JSON document exceeds the limits. Each alias counts
// as the values that it repeats. Text that is not YAML may pass: the decoder rejects it.
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
			return nil //nolint:nilerr // the end, or text that its decoder rejects
		}
		if total += expanded.count(&document); total > l.Values {
			return &ExceededError{Limit: l.Values, Unit: "values"}
		}
	}
}

// mayHoldValues returns an upper bound for the number of values in a YAML text. Each value but
// the first follows a line break, an indicator of a flow collection, or a blank after an
// indicator of a block collection.
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

// expansion counts the values of nodes with their aliases expanded, up to a limit.
type expansion struct {
	limit int
	sizes map[*yaml.Node]int
}

// count returns the number of values in a node. A node that contains itself exceeds any limit.
func (e expansion) count(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if size, known := e.sizes[n]; known {
		return size
	}
	e.sizes[n] = e.limit + 1 // for an alias inside of n
	size := 1
	for _, child := range n.Content {
		if size = size + e.count(child); size > e.limit {
			break
		}
	}
	e.sizes[n] = size
	return size
}
