package managed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Inverse describes in the journal how to undo an element. It holds scalars in plain text and
// only the SHA-256 of the JSON of any other value.
type Inverse struct {
	Path   string `json:"path"`
	Had    bool   `json:"had"`
	Before any    `json:"before,omitempty"`
	Is     any    `json:"is,omitempty"` // written value, or nil if the key was removed
	SHA256 string `json:"sha256,omitempty"`
	// IsSHA256 is the digest of a mapping that was written; only an undo writes one.
	IsSHA256 string `json:"isSha256,omitempty"`
	// Made lists the pointers of the mappings that the edit of the element created.
	Made []string `json:"made,omitempty"`
	// Pruned reports whether the element is a mapping that the undo of its keys restores.
	Pruned bool `json:"pruned,omitempty"`
}

// Inverse returns the inverses of all elements as JSON.
func (e Edit) Inverse() ([]byte, error) {
	var all []Inverse
	for _, el := range e.Elements {
		one := Inverse{Path: pointer(el.Path), Had: el.Had, Made: e.made(el), Pruned: el.Pruned}
		var err error
		if one.Before, one.SHA256, err = journalForm(el.Before); err != nil {
			return nil, err
		}
		if one.Is, one.IsSHA256, err = journalForm(el.Value); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return json.Marshal(all)
}

// journalForm returns a value in the form for the journal: texts and booleans unchanged, and the
// digest of any other value.
func journalForm(v any) (plain any, sha256 string, err error) {
	switch v.(type) {
	case nil, string, bool:
		return v, "", nil
	}
	sha256, _, err = digestOf(v)
	return nil, sha256, err
}

// digestOf returns the SHA-256 of a value's JSON, and the JSON.
func digestOf(v any) (string, []byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", nil, fmt.Errorf("encode a part of the configuration: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), raw, nil
}

// TakeBack returns the edit that undoes the remaining part of an edit. kept returns the value
// of a digest in the journal. Values that already equal the original are not edited. TakeBack
// returns an error if another writer has changed a value since the edit.
func TakeBack(object string, config map[string]any, inverse []Inverse, kept func(sha256 string) (any, error)) (Edit, error) {
	var wanted []Element
	for _, one := range inverse {
		if one.Pruned {
			continue
		}
		path := pathOf(one.Path)
		before := one.Before
		if one.SHA256 != "" {
			var err error
			if before, err = kept(one.SHA256); err != nil {
				return Edit{}, err
			}
		}
		now, found := mapAt(config, path[:len(path)-1])[path[len(path)-1]]
		undone := found == one.Had && reflect.DeepEqual(now, before)
		if !undone && !one.matchesWritten(now, found) {
			return Edit{}, &fault.Error{Class: fault.Stale, Reason: "EditMoved", Object: object,
				Seen: "spec." + rkeConfigKey + "." + strings.Join(path, ".") + " is no longer as awsmigrate wrote it", Wanted: "the value that was written, or the one from before",
				Fix: "restore it by hand, then run again"}
		}
		wanted = append(wanted, Element{Path: path, Value: before})
	}
	e := editOf(config, wanted...)
	for _, one := range inverse {
		if !one.Had && len(e.Elements) > 0 {
			e.prune(pathOf(one.Path), one.Made)
		}
	}
	return e, nil
}

// matchesWritten reports whether a value equals the one that the edit wrote.
func (i Inverse) matchesWritten(now any, found bool) bool {
	if i.IsSHA256 != "" {
		sum, _, err := digestOf(now)
		return found && err == nil && sum == i.IsSHA256
	}
	return found == (i.Is != nil) && reflect.DeepEqual(now, i.Is)
}

// pathOf returns the path of a pointer, relative to the configuration.
func pathOf(pointer string) []string {
	var path []string
	for _, key := range strings.Split(strings.TrimPrefix(pointer, "/spec/"+rkeConfigKey+"/"), "/") {
		path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(key))
	}
	return path
}
