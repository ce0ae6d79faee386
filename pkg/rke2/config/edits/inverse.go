package edits

import (
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// inverseVersion is the version of Inverse's JSON. A reader refuses newer ones.
const inverseVersion = 1

// Inverse is what undoes an edit later, on an object that others may have
// changed meanwhile. It is made to be kept in a journal: it holds the elements
// that the edit put in or took out, which are ours, and a digest of the rest;
// never a whole value of the user's, and so no secret.
type Inverse struct {
	Version int    `json:"version"`
	Undo    []Undo `json:"undo,omitempty"` // in the order in which to undo
}

// Undo takes back one change. Kind says which fields count.
type Undo struct {
	Kind  UndoKind `json:"kind"`
	Where Where    `json:"where"`
	Key   string   `json:"key,omitempty"`

	// Arguments.
	Added   []notation.Element `json:"added,omitempty"`   // positions in the value after the edit
	Removed []notation.Element `json:"removed,omitempty"` // positions in the value before it
	Form    form               `json:"form,omitempty"`    // of the value before
	Now     form               `json:"now,omitempty"`     // of the value after
	Digest  string             `json:"digest,omitempty"`  // sha256 of the value after

	// Had says how often the value before held what was added, where it did.
	Had map[string]int `json:"had,omitempty"`
	// Already are the places that held what was added before the edit.
	Already []Where `json:"already,omitempty"`

	// Scalars: ours on both sides (a provider name, a boolean), else absent.
	Was *Scalar `json:"was,omitempty"` // nil: the key was absent
	Is  *Scalar `json:"is,omitempty"`

	// Made: the map or list around it was absent and was created.
	Made bool `json:"made,omitempty"`
	// Peers is a digest of the other places that set the key, for an entry that
	// must not beat a newer one when it comes back.
	Peers string `json:"peers,omitempty"`

	Manifest *ManifestUndo `json:"manifest,omitempty"`
}

// UndoKind enumerates Undo.
type UndoKind string

const (
	// UndoArgs follows arguments that were put in or taken out.
	UndoArgs UndoKind = "arguments"
	// UndoScalar follows a value that was set.
	UndoScalar UndoKind = "value"
	// UndoAdded follows an entry of ours that was added.
	UndoAdded UndoKind = "entry-added"
	// UndoDropped follows an entry of ours that was removed.
	UndoDropped UndoKind = "entry-removed"
	// UndoManifest follows a document that was put into additionalManifest.
	UndoManifest UndoKind = "manifest"
)

// Where finds a place again by content: entries have no name, and others may
// have been put before them.
type Where struct {
	Global   bool `json:"global,omitempty"`
	Entry    int  `json:"entry"` // where it was
	Selector any  `json:"selector,omitempty"`
	// Nth of how many entries with this selector it was, from 0.
	Nth int `json:"nth"`
	Of  int `json:"of"`
}

// whereIs describes a place of s, or the place between entries at which one
// with this selector was or will be.
func whereIs(s config.Spec, p config.Place, selector any) Where {
	if p == config.Global {
		return Where{Global: true}
	}
	w := Where{Entry: int(p), Selector: selector}
	for _, other := range w.alike(s) {
		if other < p {
			w.Nth++
		}
		w.Of++
	}
	return w
}

// alike are the entries with the same selector.
func (w Where) alike(s config.Spec) []config.Place {
	var out []config.Place
	for i, e := range s.Entries {
		if notation.SameSelector(e.RawSelector, w.Selector) {
			out = append(out, config.Place(i))
		}
	}
	return out
}

// candidates are the places that w may mean: one while nobody added or removed
// entries with this selector, else all of them.
func (w Where) candidates(s config.Spec) []config.Place {
	if w.Global {
		return []config.Place{config.Global}
	}
	all := w.alike(s)
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

// Inverse is what undoes the edit.
func (e Edit) Inverse() Inverse {
	inv := Inverse{Version: inverseVersion}
	for i := len(e.Changes) - 1; i >= 0; i-- {
		inv.Undo = append(inv.Undo, e.Changes[i].op.undo())
	}
	return inv
}

// Scalar is a value that is there, null included.
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

// carries says whether a value holds what the edit added.
func (u Undo) carries(c cell) bool {
	args := notation.Args(c.value)
	for _, a := range u.Added {
		if count(args, a.Value) <= u.Had[a.Value] {
			return false
		}
	}
	return true
}

// ownArgs are the key and the arguments of an entry of ours, which has no others.
func ownArgs(e config.Entry) (string, []notation.Element) {
	for k, v := range e.Config {
		_, args := notation.Delta(nil, v)
		return k, args
	}
	return "", nil
}

// peers tells the places that set a key, but for one entry.
func peers(s config.Spec, key string, but config.Place) string {
	return peersAs(s, key, but, notation.NormalSelector)
}

// peersAre says whether those places are what a journal calls them, which before
// had the selectors as they were written.
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
