package yamltext

import (
	"bytes"
	"slices"
)

// Receipt holds what another process needs to undo an edit later. It is small and holds no
// text: the text may be secret and is in the backup.
type Receipt struct {
	Before  string   `json:"before"` // SHA-256 of the text before, and of the backup
	After   string   `json:"after"`  // SHA-256 of the text after
	Changes []Change `json:"changes"`
	Made
}

// Receipt returns the edit's receipt for Document.Undo. Of a literal value, which may hold
// credentials, it holds a digest.
func (e Edit) Receipt() Receipt {
	r := Receipt{Before: Digest(e.Before), After: Digest(e.After), Made: e.Made}
	for _, c := range e.Changes {
		if c.Style == Literal && c.Value != nil {
			c.Digest, c.Value = Digest([]byte(*c.Value)), nil
		}
		r.Changes = append(r.Changes, c)
	}
	return r
}

// Invert undoes the edit in the present text.
func (e Edit) Invert(present *Document) (Edit, error) { return present.Undo(e.Receipt(), e.Before) }

// Undo undoes an edit. backup is the text before the edit. If the text is exactly as the edit
// left it, the result is the backup to the byte. If other lines have changed, only the edit's
// own lines are restored. Undo refuses if those, or the lines around them, have changed.
func (d *Document) Undo(r Receipt, backup []byte) (Edit, error) {
	switch here := Digest(d.text); {
	case Digest(backup) != r.Before:
		return Edit{}, d.refused(&refusal{
			cause: causeUndo, seen: "the backup is not the text from before the edit",
			wanted: "SHA-256 " + r.Before, fix: "undo the edit by hand",
		})
	case here == r.Before:
		return Edit{Name: d.name, Before: d.text, After: d.text}, nil
	}
	done, old, err := d.redo(r, backup)
	if err != nil {
		return Edit{}, err
	}
	after := newSource(backup)
	origins := reverseOrigins(done, len(after.lines))
	if !bytes.Equal(d.text, done.After) {
		var bad *refusal
		if after, origins, bad = d.putBack(done); bad != nil {
			return Edit{}, d.refused(d.orLineEnds(done, bad))
		}
	}
	if bad := d.provenBack(after, origins, done, old); bad != nil {
		return Edit{}, d.refused(bad)
	}
	return Edit{
		Name: d.name, Before: d.text, After: after.text,
		hunks: hunksOf(d.source, after, origins),
	}, nil
}

// redo computes the edit again on the backup, so that a receipt needs only hashes. It returns
// the parsed backup too. It reads a literal value from the place where the edit wrote it.
func (d *Document) redo(r Receipt, backup []byte) (Edit, *Document, error) {
	old, err := Parse(d.name, backup, d.reader)
	if err == nil {
		err = d.reader.takes(old)
	}
	if err != nil {
		return Edit{}, nil, err
	}
	changes, bad := d.literals(r.Changes)
	if bad != nil {
		return Edit{}, nil, d.refused(bad)
	}
	if done, _, err := old.edit(acceptAll, changes); err == nil && done.SHA256() == r.After {
		return done, old, nil
	}
	done, err := old.Edit(changes...)
	if err != nil {
		return Edit{}, nil, err
	}
	if done.SHA256() != r.After {
		return Edit{}, nil, d.refused(notOurs(0, "the edit comes out differently than it was recorded"))
	}
	return done, old, nil
}

// literals returns the changes with the values that a receipt omits.
func (d *Document) literals(recorded []Change) ([]Change, *refusal) {
	changes := slices.Clone(recorded)
	for i, c := range changes {
		if c.Digest == "" {
			continue
		}
		s, bad := d.locate(c.Path)
		if bad != nil {
			return nil, bad
		}
		if len(s.missing) > 0 || Digest([]byte(s.last().value.Value)) != c.Digest {
			return nil, notOurs(d.Line(c.Path...), Dotted(c.Path)+" no longer holds what the edit wrote")
		}
		changes[i].Value, changes[i].Digest = &s.last().value.Value, ""
	}
	return changes, nil
}

func notOurs(line int, seen string) *refusal {
	return &refusal{
		cause: causeUndo, line: line, seen: seen, wanted: "the lines as the edit left them",
		fix: "put them back by hand",
	}
}
