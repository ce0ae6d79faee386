package clusterfile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Edit is a computed change of a file: its text before and after. It is pure;
// Write puts it on disk.
type Edit struct {
	Name          string
	Before, After []byte
	// Changes are those that Edit was given.
	Changes []Change
	Made

	hunks []hunk
}

// Empty says whether the file already is as wanted.
func (e Edit) Empty() bool { return string(e.Before) == string(e.After) }

// SHA256 is that of After, in hexadecimal.
func (e Edit) SHA256() string { return digest(e.After) }

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Edit computes the text in which all changes are made, one after the other.
// The result has been decoded and compared: it means the old text with the
// changes and nothing else, and untouched lines are the same to the byte. What
// cannot be had so is a *fault.Error of class Usage, and no Edit.
func (f *File) Edit(changes ...Change) (Edit, error) {
	e := Edit{Name: f.name, Before: f.doc.text, Changes: slices.Clone(changes)}
	d, origins := f.doc, identity(len(f.doc.lines))
	for _, c := range changes {
		next, from, made, r := d.change(c, origins)
		if r != nil {
			return Edit{}, r.in(f.name)
		}
		d, origins = next, from
		e.Created, e.Filled = append(e.Created, made.Created...), append(e.Filled, made.Filled...)
	}
	if err := intact(f.doc.source, d.source, origins); err != nil {
		return Edit{}, (&refusal{reason: ReasonNotProven, seen: "cannot be edited safely", wanted: "a change of a few lines", err: err}).in(f.name)
	}
	if _, _, r := readConfig(d); r != nil {
		return Edit{}, r.in(f.name)
	}
	e.After = d.text
	e.hunks = hunksOf(f.doc.source, d.source, origins)
	return e, nil
}

// change makes one change. Without need for one it gives d back.
func (d *document) change(c Change, origins []int) (*document, []int, Made, *refusal) {
	if len(c.Path) == 0 {
		return nil, nil, Made{}, &refusal{reason: ReasonForm, seen: "a change without a path", wanted: "a key"}
	}
	var why error
	for i, way := range c.spellings() {
		attempts, made, r := d.attempts(way)
		if i == 0 && (r != nil || len(attempts) == 0) {
			return d, origins, Made{}, r
		}
		for _, a := range attempts {
			text, from := spliced(d.source, origins, a)
			next, r := load(text.text)
			if r != nil {
				why = r.in("the new text")
				continue
			}
			if why = prove(d, next, way); why == nil {
				return next, from, made, nil
			}
		}
	}
	return nil, nil, Made{}, d.notProven(c, why)
}

func (d *document) attempts(c Change) ([]attempt, Made, *refusal) {
	if c.Value == nil {
		a, r := d.delete(c)
		return a, Made{}, r
	}
	return d.set(c)
}

func (d *document) notProven(c Change, why error) *refusal {
	r := &refusal{
		reason: ReasonNotProven, seen: dotted(c.Path) + " cannot be edited safely",
		wanted: "a change of this key alone", err: why,
	}
	if s, bad := d.locate(c.Path); bad == nil && len(s.steps) > 0 {
		r.line = s.last().key.Line
	}
	switch {
	case c.Value == nil:
		r.fix = "delete " + dotted(c.Path) + " by hand"
	case c.Style == Literal, strings.ContainsAny(*c.Value, "\r\n"):
		r.fix = "set " + dotted(c.Path) + " by hand"
	default:
		r.fix = "set " + dotted(c.Path) + " to " + *c.Value + " by hand"
	}
	return r
}
