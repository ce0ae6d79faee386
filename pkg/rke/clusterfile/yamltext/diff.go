package yamltext

import (
	"fmt"
	"strings"
)

const context = 3

// Diff returns the edit as a unified diff, or is empty if nothing changes.
func (e Edit) Diff() string {
	before, after := newSource(e.Before), newSource(e.After)
	var b strings.Builder
	for i := 0; i < len(e.hunks); {
		j := i + 1
		for j < len(e.hunks) && e.hunks[j].b0-e.hunks[j-1].b1 <= 2*context {
			j++
		}
		if i == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", e.Name, e.Name)
		}
		writeHunks(&b, before, after, e.hunks[i:j])
		i = j
	}
	return b.String()
}

func writeHunks(b *strings.Builder, before, after source, hunks []hunk) {
	first, last := hunks[0], hunks[len(hunks)-1]
	lead := min(context, first.b0)
	trail := min(context, len(before.lines)-last.b1)
	fmt.Fprintf(b, "@@ -%s +%s @@\n",
		rangeText(first.b0-lead, last.b1+trail), rangeText(first.a0-lead, last.a1+trail))
	at := first.b0 - lead
	for _, h := range hunks {
		for ; at < h.b0; at++ {
			diffLine(b, ' ', before, at)
		}
		for ; at < h.b1; at++ {
			diffLine(b, '-', before, at)
		}
		for a := h.a0; a < h.a1; a++ {
			diffLine(b, '+', after, a)
		}
	}
	for ; at < last.b1+trail; at++ {
		diffLine(b, ' ', before, at)
	}
}

// rangeText formats a range of lines for a unified diff.
func rangeText(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, to-from)
	}
}

func diffLine(b *strings.Builder, sign byte, s source, i int) {
	whole := s.whole(i)
	b.WriteByte(sign)
	b.WriteString(strings.TrimSuffix(whole, "\n"))
	b.WriteByte('\n')
	if i == len(s.lines)-1 && !s.ended() {
		b.WriteString("\\ No newline at end of file\n")
	}
}

// Lines returns the number of lines that the edit adds and removes.
func (e Edit) Lines() (added, removed int) {
	for _, h := range e.hunks {
		added, removed = added+h.a1-h.a0, removed+h.b1-h.b0
	}
	return added, removed
}
