package clusterfile

import (
	"errors"
	"slices"
)

// prove says whether a new text means the old one with the change, for both
// decoders, and holds every line of the old text that the change had no
// business with.
func prove(before, after *document, c Change) error {
	for _, d := range dialects() {
		want := d.of(before)
		c.apply(want, d)
		if dump(want) != dump(d.of(after)) {
			return errors.New("the text would mean something else")
		}
	}
	return nil
}

// intact says whether each line that is said to come from the original is that
// line, in order, to the byte.
func intact(before, after source, origins []int) error {
	kept := slices.DeleteFunc(slices.Clone(origins), func(i int) bool { return i == added })
	if len(origins) != len(after.lines) || !slices.IsSorted(kept) || len(slices.Compact(slices.Clone(kept))) != len(kept) {
		return errors.New("lines would change their order")
	}
	for i, o := range origins {
		if o != added && before.whole(o) != after.whole(i) {
			return errors.New("other lines would change")
		}
	}
	return nil
}
