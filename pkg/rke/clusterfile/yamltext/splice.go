package yamltext

import "slices"

type splice struct {
	start, end int
	text       string
}

// hunk is a changed run of lines: [b0,b1) before and [a0,a1) after.
type hunk struct{ b0, b1, a0, a1 int }

// added marks a line that has no origin.
const added = -1

// applySplices applies splices, which must be in order and must not overlap. origins holds, for
// every line of s, its line in the original text; the result does so for the new text.
func applySplices(s source, origins []int, cuts []splice) (source, []int) {
	for _, c := range slices.Backward(cuts) {
		text := slices.Concat(s.text[:c.start], []byte(c.text), s.text[c.end:])
		after := newSource(text)
		origins = mapOrigins(s, after, origins, c)
		s = after
	}
	return s, origins
}

// mapOrigins maps lines through one splice. A line survives if all its bytes and its break are
// outside of the splice and it remains a separate line.
func mapOrigins(before, after source, origins []int, c splice) []int {
	b0 := 0
	for b0 < len(before.lines) && before.lines[b0].next <= c.start &&
		b0 < len(after.lines) && after.lines[b0] == before.lines[b0] {
		b0++
	}
	shift := len(after.text) - len(before.text)
	kept := 0
	for nb, na := len(before.lines), len(after.lines); kept < nb-b0 && kept < na-b0; kept++ {
		b, a := before.lines[nb-kept-1], after.lines[na-kept-1]
		if b.start < c.end || a.start != b.start+shift {
			break
		}
	}
	b1, a1 := len(before.lines)-kept, len(after.lines)-kept
	a0 := b0
	for b0 < b1 && a0 < a1 && before.whole(b0) == after.whole(a0) {
		b0, a0 = b0+1, a0+1
	}
	for b0 < b1 && a0 < a1 && before.whole(b1-1) == after.whole(a1-1) {
		b1, a1 = b1-1, a1-1
	}
	out := slices.Clone(origins[:b0])
	for range a1 - a0 {
		out = append(out, added)
	}
	return append(out, origins[b1:]...)
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// hunksOf returns the changed runs of lines, given the origins of the new lines.
func hunksOf(before, after source, origins []int) []hunk {
	var out []hunk
	b, a := 0, 0
	for a < len(origins) || b < len(before.lines) {
		h := hunk{b0: b, a0: a}
		for a < len(origins) && origins[a] == added {
			a++
		}
		if a < len(origins) {
			b = origins[a]
		} else {
			b = len(before.lines)
		}
		h.b1, h.a1 = b, a
		if h = trimHunk(before, after, h); h.b0 < h.b1 || h.a0 < h.a1 {
			out = append(out, h)
		}
		for a < len(origins) && b < len(before.lines) && origins[a] == b {
			a, b = a+1, b+1
		}
	}
	return out
}

func trimHunk(before, after source, h hunk) hunk {
	for h.b0 < h.b1 && h.a0 < h.a1 && before.whole(h.b0) == after.whole(h.a0) {
		h.b0, h.a0 = h.b0+1, h.a0+1
	}
	for h.b0 < h.b1 && h.a0 < h.a1 && before.whole(h.b1-1) == after.whole(h.a1-1) {
		h.b1, h.a1 = h.b1-1, h.a1-1
	}
	return h
}
