package clusterfile

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

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

// null says whether the text means null to YAML, and not a mapping.
func (b Blank) null() bool { return !slices.Contains([]byte(b.Text), '{') }
