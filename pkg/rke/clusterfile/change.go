package clusterfile

import (
	"slices"
	"strings"
)

// Style is how a value is written where nothing stands yet. A quoted value that
// is replaced keeps its kind of quotes, whatever the style, unless the new one
// is a boolean: rke takes no quoted boolean.
type Style string

const (
	// Plain is without quotes: true, external-aws.
	Plain Style = "plain"
	// Quoted is in double quotes: "true".
	Quoted Style = "quoted"
	// Literal is a block of lines (|), for text of more than one.
	Literal Style = "literal"
)

// Change is one wanted key. It is a value: plans hold it, Edit applies it.
type Change struct {
	Path  []string `json:"path"`
	Value *string  `json:"value,omitempty"` // nil: the key is to be gone
	Style Style    `json:"style,omitempty"`
	// Prune names mappings above a deleted key that go with it when nothing is
	// left in them: those that Edit.Created said an edit of ours had made.
	// Others stay, as {}.
	Prune [][]string `json:"prune,omitempty"`
	// Digest is the SHA-256 of a value that a Receipt leaves out.
	Digest string `json:"digest,omitempty"`
}

// Set wants the value at path, with missing mappings above it.
func Set(value string, style Style, path ...string) Change {
	return Change{Path: path, Value: &value, Style: style}
}

// Delete wants the key at path gone, with all below it.
func Delete(path ...string) Change { return Change{Path: path} }

// Pruning is a deletion that also removes the mappings of created which it
// leaves empty.
func (c Change) Pruning(created [][]string) Change {
	c.Prune = created
	return c
}

func (c Change) prunes(path []string) bool {
	return slices.ContainsFunc(c.Prune, func(p []string) bool { return slices.Equal(p, path) })
}

func dotted(path []string) string { return strings.Join(path, ".") }
