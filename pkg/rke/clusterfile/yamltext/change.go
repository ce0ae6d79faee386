package yamltext

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Style is the notation of a value in a place that has none yet. A value that replaces a
// quoted one keeps its quotes, except for booleans: yaml.v2 decodes no quoted value into a
// boolean.
type Style string

const (
	// Plain means no quotes: true, external-aws.
	Plain Style = "plain"
	// Quoted means double quotes: "true".
	Quoted Style = "quoted"
	// Literal means a block of lines (|), for text of several lines.
	Literal Style = "literal"
)

// Change describes one key to set or delete. It is a value: plans hold it, Edit applies it.
type Change struct {
	Path  []string `json:"path"`
	Value *string  `json:"value,omitempty"` // nil deletes the key
	Style Style    `json:"style,omitempty"`
	// Prune names mappings above a deleted key to delete too, if they become empty: those that
	// Edit.Created reported for our edit. Others remain, as {}.
	Prune [][]string `json:"prune,omitempty"`
	// Refill names mappings above a deleted key to restore to the text they had before our edit
	// put the first key into them.
	Refill []Blank `json:"refill,omitempty"`
	// Digest is the SHA-256 of a value that a Receipt omits.
	Digest string `json:"digest,omitempty"`
}

// Set returns a change that sets the value at path and creates missing mappings above it.
func Set(value string, style Style, path ...string) Change {
	return Change{Path: path, Value: &value, Style: style}
}

// Delete returns a change that deletes the key at path and everything below it.
func Delete(path ...string) Change { return Change{Path: path} }

// Pruning returns the deletion with the mappings to prune or refill, as made by the edit that
// it undoes.
func (c Change) Pruning(made Made) Change {
	c.Prune, c.Refill = made.Created, made.Filled
	return c
}

// spellings returns the notations to try for a change, in this order, until one is proven
// right.
func (c Change) spellings() []Change {
	other := c
	switch {
	case c.Value == nil && len(c.Refill) > 0:
		other.Refill = nil // if another writer gave the mapping an anchor or a comment
	case c.Value != nil && c.Style == Literal:
		other.Style = Quoted // a block that keeps trailing blank lines would absorb those that follow
	default:
		return []Change{c}
	}
	return []Change{c, other}
}

func (c Change) prunes(path []string) bool {
	return slices.ContainsFunc(c.Prune, func(p []string) bool { return slices.Equal(p, path) })
}

// Dotted formats a path for messages.
func Dotted(path []string) string { return strings.Join(path, ".") }

// Made describes what an edit created above its keys. Passed to Change.Pruning, it lets a later
// deletion restore these mappings.
type Made struct {
	// Created holds the mappings that did not exist, outermost first.
	Created [][]string `json:"created,omitempty"`
	// Filled holds the mappings that existed without keys.
	Filled []Blank `json:"filled,omitempty"`
}

// Empty reports whether the edit created nothing above its keys.
func (m Made) Empty() bool { return len(m.Created) == 0 && len(m.Filled) == 0 }

// Blank is a mapping without keys. It holds the path and the text between the colon and the
// comment or the end of the line: nothing, ~, null or {}.
type Blank struct {
	Path []string `json:"path"`
	Text string   `json:"text"`
}

// blankText matches text that a receipt may hold: receipts are not secret.
var blankText = regexp.MustCompile(`^[ \t]*(|~|null|Null|NULL|\{[ \t]*\})[ \t]*$`)

// refill returns the text for the last mapping of s when it becomes empty.
func (c Change) refill(s spot) string {
	if v := s.last().value; v.Anchor != "" || v.Style&yaml.TaggedStyle != 0 {
		return " {}"
	}
	if b, ok := c.blank(c.Path[:len(s.steps)]); ok {
		return b.Text
	}
	return " {}"
}

func (c Change) blank(path []string) (Blank, bool) {
	i := slices.IndexFunc(c.Refill, func(b Blank) bool { return slices.Equal(b.Path, path) && blankText.MatchString(b.Text) })
	if i < 0 {
		return Blank{}, false
	}
	return c.Refill[i], true
}

// Empty reports whether the text is null or an empty mapping.
func (b Blank) Empty() bool { return blankText.MatchString(b.Text) }

// null reports whether YAML reads the text as null.
func (b Blank) null() bool { return !slices.Contains([]byte(b.Text), '{') }
