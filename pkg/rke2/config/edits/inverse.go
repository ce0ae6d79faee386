package edits

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// inverseVersion is the version of Inverse's JSON. Readers refuse newer ones.
const inverseVersion = 1

// Inverse undoes an edit later, on an object that others may have changed meanwhile. It is
// designed for a journal: it holds the elements that the edit added or removed, which are ours,
// and a digest of the rest. It never holds a whole value of the user's, and thus no secret.
type Inverse struct {
	Version int    `json:"version"`
	Undo    []Undo `json:"undo,omitempty"` // in the order in which to undo
}

// Undo undoes one change. Kind determines which fields are set.
type Undo struct {
	Kind  UndoKind `json:"kind"`
	Where Where    `json:"where"`
	Key   string   `json:"key,omitempty"`

	// Arguments.
	Added   []notation.Element `json:"added,omitempty"`   // positions in the value after the edit
	Removed []notation.Element `json:"removed,omitempty"` // positions in the value before it
	Form    form               `json:"form,omitempty"`    // of the old value
	Now     form               `json:"now,omitempty"`     // of the new value
	Digest  string             `json:"digest,omitempty"`  // sha256 of the new value

	// Had counts the added arguments that the old value already had.
	Had map[string]int `json:"had,omitempty"`
	// Already holds the places that had the added arguments before the edit.
	Already []Where `json:"already,omitempty"`

	// Scalars: one of our values (a provider name, a boolean), or absent.
	Was *Scalar `json:"was,omitempty"` // nil if the key was absent
	Is  *Scalar `json:"is,omitempty"`

	// Made reports whether the edit created the map or list around the value.
	Made bool `json:"made,omitempty"`
	// Peers is a digest of the other places that set the key. An entry that an undo restores
	// must not override a newer one.
	Peers string `json:"peers,omitempty"`

	Manifest *ManifestUndo `json:"manifest,omitempty"`
}

// UndoKind is the kind of an Undo.
type UndoKind string

const (
	// UndoArgs undoes added or removed arguments.
	UndoArgs UndoKind = "arguments"
	// UndoScalar undoes a set value.
	UndoScalar UndoKind = "value"
	// UndoAdded undoes the addition of our entry.
	UndoAdded UndoKind = "entry-added"
	// UndoDropped undoes the removal of our entry.
	UndoDropped UndoKind = "entry-removed"
	// UndoManifest undoes a document added to additionalManifest.
	UndoManifest UndoKind = "manifest"
)

// Where identifies a place by its content: entries have no name, and others may have been
// inserted before them.
type Where struct {
	Global   bool `json:"global,omitempty"`
	Entry    int  `json:"entry"` // its index at the time
	Selector any  `json:"selector,omitempty"`
	// Nth is its index among the entries with this selector, starting at 0; Of is their number.
	Nth int `json:"nth"`
	Of  int `json:"of"`
}

// whereIs describes a place of s, or the place between entries for an entry with this selector.
func whereIs(s config.Spec, p config.Place, selector any) Where {
	if p == config.Global {
		return Where{Global: true}
	}
	w := Where{Entry: int(p), Selector: selector}
	for _, other := range w.sameSelector(s) {
		if other < p {
			w.Nth++
		}
		w.Of++
	}
	return w
}

// sameSelector returns the entries with the same selector.
func (w Where) sameSelector(s config.Spec) []config.Place {
	var out []config.Place
	for i, e := range s.Entries {
		if notation.SameSelector(e.RawSelector, w.Selector) {
			out = append(out, config.Place(i))
		}
	}
	return out
}

// candidates returns the places that w may mean: one if no entry with this selector was added or
// removed since, and otherwise all of them.
func (w Where) candidates(s config.Spec) []config.Place {
	if w.Global {
		return []config.Place{config.Global}
	}
	all := w.sameSelector(s)
	if len(all) == w.Of && w.Nth >= 0 && w.Nth < w.Of {
		return all[w.Nth : w.Nth+1]
	}
	return all
}

func (w Where) String() string {
	if w.Global {
		return config.Global.String()
	}
	text := config.Place(w.Entry).String()
	if w.Selector != nil {
		text += " (selector " + string(notation.Canonical(w.Selector)) + ")"
	}
	return text
}

// Inverse returns the inverse of the edit.
func (e Edit) Inverse() Inverse {
	inv := Inverse{Version: inverseVersion}
	for i := len(e.Changes) - 1; i >= 0; i-- {
		inv.Undo = append(inv.Undo, e.Changes[i].op.undo())
	}
	return inv
}

// Scalar is an existing value, possibly null.
type Scalar struct {
	Value any `json:"value"`
}

func scalar(c cell) *Scalar {
	if !c.there {
		return nil
	}
	return &Scalar{c.value}
}

func (s *Scalar) cell() cell {
	if s == nil {
		return absent()
	}
	return present(s.Value)
}

func (o setKey) undo() Undo {
	u := Undo{
		Where: o.where,
		Key:   o.at.Key, Made: o.made,
	}
	if !config.IsArgs(o.at.Key) {
		u.Kind, u.Was, u.Is = UndoScalar, scalar(o.before), scalar(o.after)
		return u
	}
	u.Kind = UndoArgs
	u.Removed, u.Added = notation.Delta(o.before.value, o.after.value)
	u.Form, u.Now, u.Digest = formOf(o.before), formOf(o.after), notation.Digest(o.after.value)
	u.Already = o.already
	for _, a := range u.Added {
		if n := count(notation.Args(o.before.value), a.Value); n > 0 {
			if u.Had == nil {
				u.Had = map[string]int{}
			}
			u.Had[a.Value] = n
		}
	}
	return u
}

func (o addEntry) undo() Undo {
	u := Undo{Kind: UndoAdded, Where: o.where, Made: o.made, Already: o.already}
	u.Key, u.Added = ownArgs(o.entry)
	return u
}

func (o dropEntry) undo() Undo {
	u := Undo{Kind: UndoDropped, Where: o.where, Made: o.unmade, Peers: o.peers}
	u.Key, u.Removed = ownArgs(o.entry)
	u.Form = formOf(present(o.entry.Config[u.Key]))
	return u
}

func count(args []string, arg string) int {
	n := 0
	for _, a := range args {
		if a == arg {
			n++
		}
	}
	return n
}

// carries reports whether a value contains the arguments that the edit added.
func (u Undo) carries(c cell) bool {
	args := notation.Args(c.value)
	for _, a := range u.Added {
		if count(args, a.Value) <= u.Had[a.Value] {
			return false
		}
	}
	return true
}

// ownArgs returns the key and the arguments of our entry, which has no other keys.
func ownArgs(e config.Entry) (string, []notation.Element) {
	for k, v := range e.Config {
		_, args := notation.Delta(nil, v)
		return k, args
	}
	return "", nil
}

// peers returns a digest of the places that set a key, except one entry.
func peers(s config.Spec, key string, but config.Place) string {
	return peersAs(s, key, but, notation.NormalSelector)
}

// peersAre reports whether those places match a digest of the journal. Older journals have the
// selectors as they were written.
func peersAre(s config.Spec, key string, but config.Place, recorded string) bool {
	return recorded == peers(s, key, but) || recorded == peersAs(s, key, but, func(raw any) any { return raw })
}

func peersAs(s config.Spec, key string, but config.Place, selector func(any) any) string {
	var out []any
	for _, p := range s.AllPlaces() {
		if _, set := s.ValuesAt(p)[key]; !set || p == but {
			continue
		}
		if p == config.Global {
			out = append(out, "global")
			continue
		}
		out = append(out, selector(s.Entries[p].RawSelector))
	}
	return notation.Digest(out)
}
