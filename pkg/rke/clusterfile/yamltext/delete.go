package yamltext

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

func (d *Document) delete(c Change) ([]attempt, *refusal) {
	s, r := d.locate(c.Path)
	if r != nil || len(s.missing) > 0 {
		return nil, r
	}
	if r := d.anchorsInUse(s.last()); r != nil {
		return nil, r
	}
	for len(s.steps) > 1 && len(s.last().in.Content) == 2 && c.prunes(c.Path[:len(s.steps)-1]) {
		s.steps = s.steps[:len(s.steps)-1]
	}
	victim := s.last()
	only := len(victim.in.Content) == 2
	// Keys from our own edits have no comment; a comment above one existed before.
	first := victim.key.Line - 1
	if len(s.steps) == len(c.Path) {
		first = d.ownComment(victim)
	}
	switch {
	case only && len(s.steps) == 1:
		return nil, &refusal{cause: causeEmpty, line: victim.key.Line, seen: "the file has no other key", wanted: "a " + d.reader.File + " with other keys"}
	case flow(victim.in) && only && len(s.steps) > 1:
		return d.emptyBraces(c, s)
	case flow(victim.in):
		return d.deleteFlow(victim, first, only)
	}
	bound := d.bound(s)
	last := d.region(victim, bound)
	var out []attempt
	deeper := d.deeper(victim, last, bound)
	for _, from := range []int{first, victim.key.Line - 1} {
		for _, l := range []int{last, deeper, d.blanks(deeper, bound)} {
			for _, cut := range d.lineCuts(from, l) {
				all := attempt{cut}
				if only {
					above := s.steps[len(s.steps)-2]
					at := d.skipProperties(d.colon(above.key))
					all = attempt{{at, at, c.refill(spot{steps: s.steps[:len(s.steps)-1]})}, cut}
				}
				out = append(out, all)
			}
		}
	}
	return out, nil
}

// ownComment returns the first line of the comment directly above a key, with the same
// indentation, or the key's own line. If the comment remained, it would describe the next key
// or nothing. Text of a value above may look like a comment; the proof of the edit decides.
func (d *Document) ownComment(s step) int {
	first := s.key.Line - 1
	for first > 1 && !d.blank(first-1) && d.blankOrComment(first-1) && d.indent(first-1) == s.key.Column-1 {
		first--
	}
	return first
}

// anchorsInUse refuses to delete text that an alias elsewhere repeats.
func (d *Document) anchorsInUse(s step) *refusal {
	inside := map[string]int{}
	collectAliases(s.value, inside)
	var check func(n *yaml.Node) *refusal
	check = func(n *yaml.Node) *refusal {
		line, used := d.aliased[n.Anchor]
		if _, within := inside[n.Anchor]; n.Anchor != "" && used && !within {
			return &refusal{
				cause: causeAlias, line: n.Line, seen: "anchor &" + n.Anchor + " in text to be deleted is used elsewhere",
				wanted: "no alias to it", fix: "write line " + strconv.Itoa(line) + " out by hand",
			}
		}
		for _, child := range n.Content {
			if r := check(child); r != nil {
				return r
			}
		}
		return nil
	}
	return check(s.value)
}

// lineCuts returns the ways to cut the lines of a key, from first to last. A file without a
// final line break keeps that form, unless a block at the new end would lose its own break.
func (d *Document) lineCuts(first, last int) []splice {
	start, end := d.lines[first].start, d.lines[last].next
	if first == 0 {
		start = d.bom()
	}
	cut := splice{start, end, ""}
	if end == len(d.text) && !d.ended() && first > 0 {
		return []splice{{d.lines[first-1].end, end, ""}, cut}
	}
	return []splice{cut}
}
