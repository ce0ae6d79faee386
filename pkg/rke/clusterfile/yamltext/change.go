package yamltext

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Style is how a value is written where nothing stands yet. A quoted value that
// is replaced keeps its kind of quotes, whatever the style, unless the new one
// is a boolean: yaml.v2 puts no quoted one into a boolean.
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
	// Refill names mappings above a deleted key that are written again as they were
	// before an edit of ours put the first key into them.
	Refill []Blank `json:"refill,omitempty"`
	// Digest is the SHA-256 of a value that a Receipt leaves out.
	Digest string `json:"digest,omitempty"`
}

// Set wants the value at path, with missing mappings above it.
func Set(value string, style Style, path ...string) Change {
	return Change{Path: path, Value: &value, Style: style}
}

// Delete wants the key at path gone, with all below it.
func Delete(path ...string) Change { return Change{Path: path} }

// Pruning is a deletion that leaves the mappings above it as they were before the
// edit that made or filled them.
func (c Change) Pruning(made Made) Change {
	c.Prune, c.Refill = made.Created, made.Filled
	return c
}

// spellings are the ways in which a change may be written; the first that proves
// right is taken.
func (c Change) spellings() []Change {
	other := c
	switch {
	case c.Value == nil && len(c.Refill) > 0:
		other.Refill = nil // somebody gave the mapping an anchor, or a comment
	case c.Value != nil && c.Style == Literal:
		other.Style = Quoted // blank lines that follow would become part of a block that keeps its own
	default:
		return []Change{c}
	}
	return []Change{c, other}
}

func (c Change) prunes(path []string) bool {
	return slices.ContainsFunc(c.Prune, func(p []string) bool { return slices.Equal(p, path) })
}

// Dotted is a path as messages write it.
func Dotted(path []string) string { return strings.Join(path, ".") }

// Made is what an edit put above its keys. Given to Change.Pruning, a later
// deletion that empties these mappings leaves them as they were.
type Made struct {
	// Created are the mappings that were not there, outermost first.
	Created [][]string `json:"created,omitempty"`
	// Filled are those that were there with nothing in them.
	Filled []Blank `json:"filled,omitempty"`
}

// Empty says that nothing was put above the keys.
func (m Made) Empty() bool { return len(m.Created) == 0 && len(m.Filled) == 0 }

// Blank is a mapping without keys: its path, and what stood between its colon and
// the comment, or the end of the line: nothing, ~, null, {}.
type Blank struct {
	Path []string `json:"path"`
	Text string   `json:"text"`
}

// blankText is what may be remembered of a file: a receipt is no secret.
var blankText = regexp.MustCompile(`^[ \t]*(|~|null|Null|NULL|\{[ \t]*\})[ \t]*$`)

// refill is how the mapping of the last step is written when it is left empty.
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

// Empty reports whether the text is one of those that mean nothing, or an empty mapping.
func (b Blank) Empty() bool { return blankText.MatchString(b.Text) }

// null says whether the text means null to YAML, and not a mapping.
func (b Blank) null() bool { return !slices.Contains([]byte(b.Text), '{') }
