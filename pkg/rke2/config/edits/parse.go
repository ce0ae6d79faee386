package edits

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Limits of a recorded inverse. The edits of a cluster with a hundred selector entries stay far
// below them.
const (
	maxInverse  = 512 << 10 // bytes of JSON
	maxUndo     = 1 << 10   // changes
	maxElements = 1 << 10   // arguments, or places, of one change
	maxArgument = 256       // bytes of one argument
	maxPosition = 1 << 20   // index of an argument or an entry
)

// digestForm matches the SHA-256 that notation.Digest returns.
var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ParseInverse parses an inverse from the journal. Anyone who may write to the journal can put
// any JSON there. ParseInverse therefore returns an error unless the inverse touches only keys
// and values that our edits write: the provider's name, disable-cloud-controller, the two
// arguments of a migration, an entry of machineSelectorConfig with nothing else, and the
// chart's document. It returns a newer inverse without its changes; Inverse.Edit refuses that.
func ParseInverse(raw json.RawMessage) (Inverse, error) {
	var head struct {
		Version int `json:"version"`
	}
	if len(raw) > maxInverse {
		return Inverse{}, fmt.Errorf("%d bytes, at most %d expected", len(raw), maxInverse)
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return Inverse{}, fmt.Errorf("no inverse: %w", err)
	}
	if head.Version > inverseVersion {
		return Inverse{Version: head.Version}, nil
	}
	var inv Inverse
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&inv); err != nil {
		return Inverse{}, fmt.Errorf("no inverse: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Inverse{}, errors.New("no inverse: text follows it")
	}
	return inv, inv.check()
}

// check returns an error unless an edit of this package can have this inverse.
func (inv Inverse) check() error {
	if inv.Version != inverseVersion {
		return fmt.Errorf("version %d, %d expected", inv.Version, inverseVersion)
	}
	if len(inv.Undo) > maxUndo {
		return fmt.Errorf("%d changes, at most %d expected", len(inv.Undo), maxUndo)
	}
	for _, u := range inv.Undo {
		if err := u.check(); err != nil {
			return fmt.Errorf("%s: %w", u.path(), err)
		}
	}
	return nil
}

// path names the key or document of the change, as far as it can be read.
func (u Undo) path() string {
	switch {
	case u.Kind == UndoManifest:
		return "additionalManifest"
	case u.Where.Global:
		return "machineGlobalConfig." + u.Key
	default:
		return fmt.Sprintf("machineSelectorConfig[%d].%s", u.Where.Entry, u.Key)
	}
}

// fields returns the change with only the fields of its kind.
func (u Undo) fields() Undo {
	out := Undo{Kind: u.Kind, Where: u.Where, Key: u.Key, Made: u.Made}
	switch u.Kind {
	case UndoScalar:
		out.Was, out.Is = u.Was, u.Is
	case UndoArgs:
		out.Added, out.Removed, out.Had, out.Already = u.Added, u.Removed, u.Had, u.Already
		out.Form, out.Now, out.Digest = u.Form, u.Now, u.Digest
	case UndoAdded:
		out.Added, out.Already = u.Added, u.Already
	case UndoDropped:
		out.Removed, out.Form, out.Peers = u.Removed, u.Form, u.Peers
	case UndoManifest:
		out = Undo{Kind: u.Kind, Manifest: u.Manifest}
	}
	return out
}

func (u Undo) check() error {
	if !reflect.DeepEqual(u, u.fields()) {
		return fmt.Errorf("a change of kind %q does not have all of these fields", u.Kind)
	}
	if err := u.Where.check(); err != nil {
		return err
	}
	switch u.Kind {
	case UndoScalar:
		return u.checkScalar()
	case UndoArgs:
		return u.checkArgs()
	case UndoAdded, UndoDropped:
		return u.checkEntry()
	case UndoManifest:
		return u.Manifest.check()
	}
	return fmt.Errorf("a change of unknown kind %q", u.Kind)
}

func (w Where) check() error {
	if w.Global && (w.Selector != nil || w.Entry != 0 || w.Nth != 0 || w.Of != 0) {
		return errors.New("machineGlobalConfig is no entry")
	}
	for _, at := range []int{w.Entry, w.Nth, w.Of} {
		if at < 0 || at > maxPosition {
			return fmt.Errorf("no entry has position %d", at)
		}
	}
	return nil
}

func (u Undo) checkScalar() error {
	may := map[string]func(*Scalar) bool{config.KeyProvider: isProviderValue, config.KeyDisableCCM: isBooleanValue}[u.Key]
	switch {
	case may == nil:
		return errNotOurs
	case !may(u.Was) || !may(u.Is):
		return errors.New("awsmigrate's edits write no such value")
	}
	return nil
}

var errNotOurs = errors.New("awsmigrate's edits do not write this key")

// isProviderValue reports whether cloud-provider-name can have this value before or after an
// edit. A winning place names a provider, and guard accepts only two.
func isProviderValue(s *Scalar) bool {
	if s == nil {
		return false
	}
	name, _ := s.Value.(string)
	return len(name) <= maxArgument && slices.Contains([]string{config.ProviderAWS, config.ProviderExternal}, notation.Trimmed(name))
}

// isBooleanValue reports whether disable-cloud-controller can have this value before or after an
// edit: disableOwnController refuses all others.
func isBooleanValue(s *Scalar) bool {
	if s == nil || s.Value == nil {
		return true
	}
	if _, is := s.Value.(bool); is {
		return true
	}
	text, _ := s.Value.(string)
	return len(text) <= maxArgument && notation.IsBoolean(text)
}

// isOwnArgument reports whether our edits add arg to the value of key or remove it.
func isOwnArgument(key, arg string) bool {
	switch {
	case len(arg) > maxArgument:
		return false
	case key == config.KeyManagerArg && isLeaderMigration(arg):
		return notation.IsBoolean(notation.FlagValue(arg))
	}
	return (key == config.KeyManagerArg || key == config.KeyKubeletArg) && isExternal(arg)
}

func (u Undo) checkElements() error {
	if u.Key != config.KeyManagerArg && u.Key != config.KeyKubeletArg {
		return errNotOurs
	}
	all := slices.Concat(u.Added, u.Removed)
	if len(all) == 0 || len(all) > maxElements || len(u.Already) > maxElements || len(u.Had) > len(u.Added) {
		return fmt.Errorf("%d arguments in %d places", len(all), len(u.Already))
	}
	for _, e := range all {
		if e.At < 0 || e.At > maxPosition || !isOwnArgument(u.Key, e.Value) {
			return fmt.Errorf("awsmigrate's edits write no argument %q", cut(e.Value))
		}
	}
	for _, w := range u.Already {
		if err := w.check(); err != nil {
			return err
		}
	}
	for arg, n := range u.Had {
		if n < 1 || n > maxPosition || !slices.Contains(values(u.Added), arg) {
			return fmt.Errorf("argument %q was not added", cut(arg))
		}
	}
	return nil
}

func (u Undo) checkArgs() error {
	forms := []form{formAbsent, formNull, formString, formList}
	if !slices.Contains(forms, u.Form) || !slices.Contains(forms, u.Now) || !digestForm.MatchString(u.Digest) {
		return errors.New("neither form nor digest of a list of arguments")
	}
	return u.checkElements()
}

// checkEntry returns an error unless ourEntry can return the entry: an undo adds or removes it.
func (u Undo) checkEntry() error {
	switch own := ourEntry(u.Key); {
	case u.Where.Global || !notation.SameSelector(u.Where.Selector, own.RawSelector):
		return errors.New("awsmigrate's edits add entries for control planes alone")
	case u.Key != config.KeyManagerArg:
		return errNotOurs
	case u.Kind == UndoDropped && (!digestForm.MatchString(u.Peers) || u.Form != formString && u.Form != formList):
		return errors.New("neither form nor digest of an entry's arguments")
	}
	return u.checkElements()
}

func (m *ManifestUndo) check() error {
	own := Chart{Namespace: wellknown.System, Name: wellknown.CCM}
	switch {
	case m == nil || m.Chart != own:
		return errors.New("awsmigrate's edits write the document of " + own.String() + " alone")
	case !slices.Contains([]string{"", "---\n", "---\r\n", "\n---\n", "\r\n---\r\n"}, m.Glue):
		return errors.New("awsmigrate's edits put no such text before the document")
	case !digestForm.MatchString(m.Digest) || m.Replaced != "" && !digestForm.MatchString(m.Replaced):
		return errors.New("no digest of the document")
	}
	return nil
}
