package yamltext

import (
	"slices"
	"strconv"
	"strings"
)

// reverseOrigins returns the origins of the lines of Before in After.
func reverseOrigins(e Edit, lines int) []int {
	out := make([]int, lines)
	b, a := 0, 0
	for _, h := range append(slices.Clone(e.hunks), hunk{b0: lines, b1: lines}) {
		for ; b < h.b0; b, a = b+1, a+1 {
			out[b] = a
		}
		for ; b < h.b1; b++ {
			out[b] = added
		}
		a = h.a1
	}
	return out
}

// putBack finds the edit's lines, with the lines around them, in a text that has changed
// elsewhere, and replaces them by the old lines.
func (d *Document) putBack(done Edit) (source, []int, *refusal) {
	before, after := newSource(done.Before), newSource(done.After)
	s, origins := d.source, identity(len(d.lines))
	for _, h := range slices.Backward(joinHunks(done.hunks)) {
		at, bad := seek(s, after, h)
		if bad != nil {
			return s, nil, bad
		}
		old := before.join(h.b0, h.b1)
		start, end := s.offsetOfLine(at), s.offsetOfLine(at+h.a1-h.a0)
		s, origins = applySplices(s, origins, []splice{{start, end, old}})
	}
	return s, origins, nil
}

// joinHunks merges hunks that are in each other's context: to restore one would change the lines
// that identify the next.
func joinHunks(hunks []hunk) []hunk {
	var out []hunk
	for _, h := range hunks {
		if n := len(out); n > 0 && h.b0-out[n-1].b1 < context {
			out[n-1].b1, out[n-1].a1 = h.b1, h.a1
			continue
		}
		out = append(out, h)
	}
	return out
}

// seek returns the line of the edit's lines in s. They must match in one place only, with at
// least one line of their remaining context. If the file had fewer lines around them, its edge
// first counts as context; lines that were later added at the edge do not.
func seek(s, after source, h hunk) (int, *refusal) {
	for _, edges := range []bool{true, false} {
		for n := context; n > 0; n-- {
			switch found := places(s, after, h, around{n, n}, edges); {
			case len(found) == 1:
				return found[0], nil
			case len(found) > 1:
				return closer(s, after, h, n, edges, found)
			}
		}
	}
	seen := "the lines that the edit wrote, or those next to them, have changed"
	if h.a0 < h.a1 {
		seen += ": " + Excerpt(strings.SplitN(after.content(h.a0), ":", 2)[0])
	}
	return 0, notOurs(0, seen)
}

// maxContext is the maximum number of context lines on either side that distinguish similar
// places.
const maxContext = 100

// closer distinguishes places that match with n lines of context: by more context on both
// sides, or else above or below alone, where the other side has changed.
func closer(s, after source, h hunk, n int, edges bool, found []int) (int, *refusal) {
	for _, grow := range []around{{1, 1}, {1, 0}, {0, 1}} {
		with := around{n, n}
		for more := found; len(more) > 1 && max(with.above, with.below) < maxContext; {
			with = around{with.above + grow.above, with.below + grow.below}
			if more = places(s, after, h, with, edges); len(more) == 1 {
				return more[0], nil
			}
		}
	}
	return 0, notOurs(found[1]+1, "the edit's lines are here and at line "+strconv.Itoa(found[0]+1))
}

// around holds the number of context lines to compare.
type around struct{ above, below int }

// places returns the lines at which the edit's lines match with that much context, or with all
// the context there was: then at the edge of the file, if edges is set.
func places(s, after source, h hunk, n around, edges bool) []int {
	c0, c1 := max(0, h.a0-n.above), min(len(after.lines), h.a1+n.below)
	if c0 == c1 {
		return nil
	}
	first, last := edges && h.a0 < n.above, edges && h.a1+n.below > len(after.lines)
	var found []int
	for i := 0; i+c1-c0 <= len(s.lines); i++ {
		if (!first || i == 0) && (!last || i+c1-c0 == len(s.lines)) && after.same(c0, c1, s, i) {
			found = append(found, i+h.a0-c0)
		}
	}
	return found
}

// provenBack decodes and compares: every changed key is as before the edit, the rest is as in
// the present text, and the reader accepts the result.
func (d *Document) provenBack(after source, origins []int, done Edit, old *Document) *refusal {
	fail := func(err error) *refusal {
		r := notOurs(0, "cannot be undone safely")
		r.err = err
		return r
	}
	if err := intact(d.source, after, origins); err != nil {
		return fail(err)
	}
	result, err := Parse(theNewText, after.text, d.reader)
	if err == nil {
		err = d.reader.takes(result)
	}
	if err != nil {
		return fail(err)
	}
	for _, as := range dialects() {
		want, was := as.of(d), as.of(old)
		for _, c := range done.Changes {
			restore(want, was, c.Path, as)
		}
		if dump(want) != dump(as.of(result)) {
			return notOurs(0, "putting the lines back would change other keys as well")
		}
	}
	return nil
}

// restore gives the key at path in now its value in was. It deletes mappings that did not exist
// and became empty, and restores those that were empty.
func restore(now, was *value, path []string, d dialect) {
	key := d.key(path[0])
	child := now.find(key)
	var old *value
	if was != nil {
		old = was.find(key)
	}
	switch {
	case len(path) == 1 && old == nil, child == nil && old == nil:
		now.remove(key)
	case len(path) == 1, child == nil:
		now.put(key, old)
	default:
		if child.kind != mapping && old != nil && old.kind == mapping {
			*child = value{kind: mapping, text: old.text} // null again after a deletion
		}
		restore(child, old, path[1:], d)
		switch {
		case !child.empty():
		case old == nil:
			now.remove(key)
		case old.empty() || old.kind == scalar:
			now.put(key, old)
		}
	}
}
