package yamltext

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// theNewText names the result of an edit in messages.
const theNewText = "the new text"

// Edit is a computed change of a text, with the text before and after.
type Edit struct {
	Name          string // of the document
	Before, After []byte
	// Changes holds the arguments of Document.Edit.
	Changes []Change
	Made

	hunks []hunk
}

// Empty reports whether nothing changes.
func (e Edit) Empty() bool { return string(e.Before) == string(e.After) }

// SHA256 returns the SHA-256 of After in hexadecimal.
func (e Edit) SHA256() string { return Digest(e.After) }

// Digest returns the SHA-256 of a text in hexadecimal, as receipts hold it.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Edit makes the changes one after the other and returns the new text. The result was decoded
// and compared: it means the old text with the changes and nothing else, untouched lines are
// identical to the byte, and the reader accepts it. If that is impossible, Edit returns a
// *fault.Error of class Usage.
func (d *Document) Edit(changes ...Change) (Edit, error) {
	e, after, err := d.edit(prove, changes)
	if err == nil {
		err = d.reader.takes(after)
	}
	if err != nil {
		return Edit{}, err
	}
	return e, nil
}

// proof returns an error unless after means before with the change.
type proof func(before, after *Document, c Change) error

// acceptAll accepts every edit. Use it for an edit that was proven before, as its digest shows.
func acceptAll(*Document, *Document, Change) error { return nil }

// edit computes an edit and the new text, without calling Reader.Takes.
func (d *Document) edit(proven proof, changes []Change) (Edit, *Document, error) {
	e := Edit{Name: d.name, Before: d.text, Changes: slices.Clone(changes)}
	now, origins := d, identity(len(d.lines))
	for _, c := range changes {
		next, from, made, r := now.change(c, origins, proven)
		if r != nil {
			return Edit{}, nil, d.refused(r)
		}
		now, origins = next, from
		e.Created, e.Filled = append(e.Created, made.Created...), append(e.Filled, made.Filled...)
	}
	if err := intact(d.source, now.source, origins); err != nil {
		return Edit{}, nil, d.refused(&refusal{cause: causeNotProven, seen: "cannot be edited safely", wanted: "a change of a few lines", err: err})
	}
	e.After = now.text
	e.hunks = hunksOf(d.source, now.source, origins)
	return e, now, nil
}

// change makes one change. It returns d if nothing has to change.
func (d *Document) change(c Change, origins []int, proven proof) (*Document, []int, Made, *refusal) {
	if len(c.Path) == 0 {
		return nil, nil, Made{}, &refusal{cause: causeForm, seen: "a change without a path", wanted: "a key"}
	}
	var why error
	for i, way := range c.spellings() {
		attempts, made, r := d.attempts(way)
		if i == 0 && (r != nil || len(attempts) == 0) {
			return d, origins, Made{}, r
		}
		for _, a := range attempts {
			text, from := applySplices(d.source, origins, a)
			next, err := Parse(theNewText, text.text, d.reader)
			if err != nil {
				why = err
				continue
			}
			next.name = d.name
			if why = proven(d, next, way); why == nil {
				return next, from, made, nil
			}
		}
	}
	return nil, nil, Made{}, d.proofRefusal(c, why)
}

func (d *Document) attempts(c Change) ([]attempt, Made, *refusal) {
	if c.Value == nil {
		a, r := d.delete(c)
		return a, Made{}, r
	}
	return d.set(c)
}

func (d *Document) proofRefusal(c Change, why error) *refusal {
	r := &refusal{
		cause: causeNotProven, seen: Dotted(c.Path) + " cannot be edited safely",
		wanted: "a change of this key alone", err: why,
	}
	if s, bad := d.locate(c.Path); bad == nil && len(s.steps) > 0 {
		r.line = s.last().key.Line
	}
	switch {
	case c.Value == nil:
		r.fix = "delete " + Dotted(c.Path) + " by hand"
	case c.Style == Literal, strings.ContainsAny(*c.Value, "\r\n"):
		r.fix = "set " + Dotted(c.Path) + " by hand"
	default:
		r.fix = "set " + Dotted(c.Path) + " to " + *c.Value + " by hand"
	}
	return r
}

// prove returns an error unless both decoders read a new text as the old one with the change,
// and all lines outside of the change are intact.
func prove(before, after *Document, c Change) error {
	for _, d := range dialects() {
		want := d.of(before)
		c.apply(want, d)
		if dump(want) != dump(d.of(after)) {
			return errors.New("the text would mean something else")
		}
	}
	return nil
}

// intact returns an error unless each line with an origin equals that line of the original, in
// order, to the byte.
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
