package edits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Edit computes the edit that undoes, on the current s. It skips parts that others have already
// undone. If one of our values was changed or moved, it returns an error of class Stale that
// describes the move.
func (inv Inverse) Edit(s config.Spec) (Edit, error) {
	if inv.Version > inverseVersion {
		return Edit{}, &fault.Error{
			Class: fault.Usage, Reason: "NewerInverse", Object: s.Object,
			Seen: fmt.Sprintf("the recorded inverse has version %d", inv.Version), Wanted: fmt.Sprintf("version %d or older", inverseVersion),
			Fix: "use the awsmigrate that recorded it, or a newer one",
		}
	}
	e := newEditor(s)
	e.known = map[config.Location]bool{}
	for _, u := range inv.Undo {
		for _, p := range u.Where.candidates(s) {
			e.known[config.Location{Place: p, Key: u.Key}] = true
		}
	}
	for _, u := range inv.Undo {
		if err := e.undo(u); err != nil {
			return Edit{}, err
		}
	}
	return e.edit, nil
}

func (e *editor) undo(u Undo) error {
	switch u.Kind {
	case UndoArgs:
		return e.undoArgs(u)
	case UndoScalar:
		return e.undoScalar(u)
	case UndoAdded:
		return e.undoAdded(u)
	case UndoDropped:
		return e.undoDropped(u)
	case UndoManifest:
		return e.undoManifest(u)
	default:
		return &fault.Error{
			Class: fault.Usage, Reason: "UnknownInverse", Object: e.spec.Object,
			Seen: fmt.Sprintf("the recorded inverse has a change of kind %q", u.Kind), Wanted: "a kind this program knows",
		}
	}
}

func (e *editor) moved(u Undo, seen string) error {
	return &fault.Error{
		Class: fault.Stale, Reason: "EditMoved", Object: e.spec.Object, Seen: seen,
		Wanted: "what was written to " + u.Where.String() + "." + u.Key,
		Fix:    "undo this change by hand in that place, then go on",
	}
}

// find returns the place with the edit's values, by content. If gone is true, no place has
// them; p is then a place that looks undone, or else the most likely one.
func (e *editor) find(u Undo, carries, undone func(cell) bool) (p config.Place, gone bool, err error) {
	candidates := u.Where.candidates(e.spec)
	var carrying []config.Place
	for _, p := range candidates {
		if carries(e.cell(config.Location{Place: p, Key: u.Key})) {
			carrying = append(carrying, p)
		}
	}
	switch {
	case len(carrying) == 1:
		return carrying[0], false, nil
	case len(carrying) > 1:
		return 0, false, e.moved(u, fmt.Sprintf("entries %v have this selector and hold what was written to %s", carrying, u.Where))
	}
	for _, p := range candidates {
		if undone(e.cell(config.Location{Place: p, Key: u.Key})) {
			return p, true, nil
		}
	}
	before := map[config.Place]bool{}
	for _, w := range u.Already {
		for _, p := range w.candidates(e.spec) {
			before[p] = true
		}
	}
	for _, p := range e.spec.AllPlaces() {
		at := config.Location{Place: p, Key: u.Key}
		if !before[p] && !e.known[at] && e.cell(at).there && carries(e.cell(at)) {
			return 0, false, e.moved(u, fmt.Sprintf("what was written to %s is in %s now", u.Where, at))
		}
	}
	if len(candidates) == 0 {
		return 0, true, nil
	}
	return candidates[0], true, nil
}

// neverUndone is for changes whose place looks the same whether they were undone or moved. Only
// the other places can distinguish the two.
func neverUndone(cell) bool { return false }

func values(elems []notation.Element) []string {
	var out []string
	for _, e := range elems {
		out = append(out, e.Value)
	}
	return out
}

func holdsAll(args, wanted []string) bool {
	for _, w := range wanted {
		if !slices.Contains(args, w) {
			return false
		}
	}
	return true
}

func (e *editor) undoArgs(u Undo) error {
	p, gone, err := e.find(u, func(c cell) bool {
		if len(u.Added) == 0 {
			return notation.Digest(c.value) == u.Digest && formOf(c) == u.Now
		}
		return u.carries(c)
	}, func(cell) bool { return len(u.Added) == 0 }) // no other place can have our values
	if err != nil {
		return err
	}
	if gone && len(u.Added) == 0 {
		// Arguments were only removed, and others have changed the rest.
		candidates := u.Where.candidates(e.spec)
		if len(candidates) != 1 {
			return e.moved(u, "no single place still has this selector")
		}
		p = candidates[0]
	}
	at := config.Location{Place: p, Key: u.Key}
	if gone && len(u.Added) > 0 {
		return e.checkPartial(u)
	}
	if bad := unreadable(e.cell(at)); bad != "" {
		return e.moved(u, at.String()+" "+bad+" now")
	}
	return e.restore(u, at)
}

// checkPartial returns an error if another writer undid half of a change.
func (e *editor) checkPartial(u Undo) error {
	for _, p := range u.Where.candidates(e.spec) {
		args := notation.Args(e.cell(config.Location{Place: p, Key: u.Key}).value)
		if holdsAll(args, values(u.Removed)) {
			return nil
		}
	}
	return e.moved(u, fmt.Sprintf("%s no longer holds %s", u.Where, strings.Join(values(u.Added), ", ")))
}

func (e *editor) restore(u Undo, at config.Location) error {
	c := e.cell(at)
	untouched := notation.Digest(c.value) == u.Digest
	elems := elements(c)
	for i := len(u.Added) - 1; i >= 0; i-- {
		index := lastIndex(elems, u.Added[i].Value)
		if untouched {
			if index = u.Added[i].At; index >= len(elems) || notation.Text(elems[index]) != u.Added[i].Value {
				return e.moved(u, fmt.Sprintf("%s holds no %s at position %d", at, u.Added[i].Value, index))
			}
		}
		if index >= 0 {
			elems = slices.Delete(elems, index, index+1)
		}
	}
	for _, r := range u.Removed {
		if untouched {
			elems = slices.Insert(elems, min(r.At, len(elems)), any(r.Value))
		} else if count(notation.Args(elems), r.Value) < count(values(u.Removed), r.Value) {
			elems = append(elems, r.Value)
		}
	}
	to := u.Form.restored(elems)
	if u.Made && !to.there && len(e.spec.ValuesAt(at.Place)) == 1 {
		return e.do(setKey{at: at, where: e.where(at.Place), before: c, after: to, unmade: true})
	}
	return e.set(at, to)
}

func lastIndex(elems []any, arg string) int {
	for i := len(elems) - 1; i >= 0; i-- {
		if notation.Text(elems[i]) == arg {
			return i
		}
	}
	return -1
}

// restored returns elements in the form that the value had before the edit.
func (f form) restored(elems []any) cell {
	if len(elems) > 0 {
		return f.write(elems)
	}
	switch f {
	case formAbsent:
		return absent()
	case formNull:
		return present(nil)
	case formString:
		return present("")
	default:
		return present([]any{})
	}
}

func (e *editor) undoScalar(u Undo) error {
	is, was := u.Is.cell(), u.Was.cell()
	p, gone, err := e.find(u, func(c cell) bool { return c.same(is) }, func(c cell) bool { return c.same(was) })
	if err != nil {
		return err
	}
	if gone {
		if len(u.Where.candidates(e.spec)) > 0 && e.cell(config.Location{Place: p, Key: u.Key}).same(was) {
			return nil
		}
		return e.moved(u, u.Where.String()+"."+u.Key+" has neither its old value nor the written one")
	}
	at := config.Location{Place: p, Key: u.Key}
	if u.Made && !was.there && len(e.spec.ValuesAt(p)) == 1 {
		return e.do(setKey{at: at, where: e.where(p), before: is, after: was, unmade: true})
	}
	return e.set(at, was)
}

func (e *editor) undoAdded(u Undo) error {
	p, gone, err := e.find(u, u.carries, neverUndone)
	if err != nil || gone {
		return err
	}
	entry := e.spec.Entries[p]
	if len(u.Where.sameSelector(e.spec)) != u.Where.Of && !isOurs(entry, u.Key) {
		return e.moved(u, "entries with its selector came or went, and "+p.String()+" holds more than what was written")
	}
	at := config.Location{Place: p, Key: u.Key}
	rest := elements(e.cell(at))
	for _, a := range u.Added {
		if i := lastIndex(rest, a.Value); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	switch {
	case len(rest) > 0:
		return e.set(at, formOf(e.cell(at)).write(rest))
	case len(entry.Config) > 1 || len(entry.Strays) > 0:
		return e.set(at, absent())
	}
	return e.drop(p, u.Key, u.Made && len(e.spec.Entries) == 1)
}

func (e *editor) undoDropped(u Undo) error {
	alike := u.Where.sameSelector(e.spec)
	for _, p := range alike {
		back := holdsAll(notation.Args(e.cell(config.Location{Place: p, Key: u.Key}).value), values(u.Removed))
		if back && len(alike) == u.Where.Of+1 && isOurs(e.spec.Entries[p], u.Key) {
			return nil
		}
	}
	if !peersAre(e.spec, u.Key, config.Default, u.Peers) {
		return e.moved(u, "other places set "+u.Key+" now, and an entry that comes back could beat them")
	}
	entry := ourEntry(u.Key)
	entry.RawSelector = u.Where.Selector
	args := []any{}
	for _, r := range u.Removed {
		args = append(args, r.Value)
	}
	entry.Config[u.Key] = u.Form.restored(args).value
	return e.insert(min(u.Where.Entry, len(e.spec.Entries)), entry)
}
