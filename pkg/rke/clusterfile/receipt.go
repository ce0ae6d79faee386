package clusterfile

import (
	"bytes"
	"slices"
)

// Receipt is what must be remembered of an edit to take it back later, in
// another process: small, and without any text of the file. That is in the
// backup, because it may be secret.
type Receipt struct {
	Before  string   `json:"before"` // SHA-256 of the file before, and of the backup
	After   string   `json:"after"`  // SHA-256 of the file after
	Changes []Change `json:"changes"`
	Made
}

// Receipt is the edit's, for File.Undo. Of a literal value, which may hold
// credentials, it keeps a digest.
func (e Edit) Receipt() Receipt {
	r := Receipt{Before: digest(e.Before), After: digest(e.After), Made: e.Made}
	for _, c := range e.Changes {
		if c.Style == Literal && c.Value != nil {
			c.Digest, c.Value = digest([]byte(*c.Value)), nil
		}
		r.Changes = append(r.Changes, c)
	}
	return r
}

// Invert takes the edit back in the present file.
func (e Edit) Invert(present *File) (Edit, error) { return present.Undo(e.Receipt(), e.Before) }

// Undo takes an edit back. backup is the text before it. When the file is as
// the edit left it, the result is the backup to the byte. When other lines have
// changed since, only the edit's own are put back; when those, or the lines
// around them, are no longer as the edit left them, Undo refuses.
func (f *File) Undo(r Receipt, backup []byte) (Edit, error) {
	switch here := digest(f.doc.text); {
	case digest(backup) != r.Before:
		return Edit{}, (&refusal{
			reason: ReasonUndo, seen: "the backup is not the text from before the edit",
			wanted: "SHA-256 " + r.Before, fix: "undo the edit by hand",
		}).in(f.name)
	case here == r.Before:
		return Edit{Name: f.name, Before: f.doc.text, After: f.doc.text}, nil
	}
	done, err := f.redo(r, backup)
	if err != nil {
		return Edit{}, err
	}
	after := newSource(backup)
	origins := reversed(done, len(after.lines))
	if !bytes.Equal(f.doc.text, done.After) {
		var bad *refusal
		if after, origins, bad = f.doc.putBack(done); bad != nil {
			return Edit{}, bad.in(f.name)
		}
	}
	if bad := f.provenBack(after, origins, done); bad != nil {
		return Edit{}, bad.in(f.name)
	}
	return Edit{
		Name: f.name, Before: f.doc.text, After: after.text,
		hunks: hunksOf(f.doc.source, after, origins),
	}, nil
}

// redo computes the edit again on the backup, so that nothing but hashes had to
// be remembered. A literal value is taken from where it was written.
func (f *File) redo(r Receipt, backup []byte) (Edit, error) {
	old, err := Parse(f.name, backup)
	if err != nil {
		return Edit{}, err
	}
	changes := slices.Clone(r.Changes)
	for i, c := range changes {
		if c.Digest == "" {
			continue
		}
		s, bad := f.doc.locate(c.Path)
		if bad != nil {
			return Edit{}, bad.in(f.name)
		}
		if len(s.missing) > 0 || digest([]byte(s.last().value.Value)) != c.Digest {
			return Edit{}, notOurs(f.Line(c.Path...), dotted(c.Path)+" no longer holds what the edit wrote").in(f.name)
		}
		changes[i].Value, changes[i].Digest = &s.last().value.Value, ""
	}
	done, err := old.Edit(changes...)
	if err != nil {
		return Edit{}, err
	}
	if done.SHA256() != r.After {
		return Edit{}, notOurs(0, "the edit comes out differently than it was recorded").in(f.name)
	}
	return done, nil
}

func notOurs(line int, seen string) *refusal {
	return &refusal{
		reason: ReasonUndo, line: line, seen: seen, wanted: "the lines as the edit left them",
		fix: "put them back by hand, from the backup beside the file",
	}
}
