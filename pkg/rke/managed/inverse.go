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

// Inverse is what the journal keeps of an element: a scalar as it was, of anything
// else only the SHA-256 of its JSON.
type Inverse struct {
	Path   string `json:"path"`
	Had    bool   `json:"had"`
	Before any    `json:"before,omitempty"`
	Is     any    `json:"is,omitempty"` // what was written; nil: it was removed
	SHA256 string `json:"sha256,omitempty"`
	// IsSHA256 stands for a mapping that was written, as an undo does.
	IsSHA256 string `json:"isSha256,omitempty"`
	// Made are the mappings that setting the element made, by pointer.
	Made []string `json:"made,omitempty"`
	// Pruned mappings come back with what they held.
	Pruned bool `json:"pruned,omitempty"`
}

// Inverse names the elements as they were.
func (e Edit) Inverse() ([]byte, error) {
	var all []Inverse
	for _, el := range e.Elements {
		one := Inverse{Path: pointer(el.Path), Had: el.Had, Made: e.made(el), Pruned: el.Pruned}
		var err error
		if one.Before, one.SHA256, err = recorded(el.Before); err != nil {
			return nil, err
		}
		if one.Is, one.IsSHA256, err = recorded(el.Value); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return json.Marshal(all)
}

// recorded returns a value as the journal may hold it: a text or a boolean as it is, of
// anything else the digest.
func recorded(v any) (plain any, sha256 string, err error) {
	switch v.(type) {
	case nil, string, bool:
		return v, "", nil
	}
	sha256, _, err = digestOf(v)
	return nil, sha256, err
}

// digestOf is the SHA-256 of a value's JSON, and the JSON.
func digestOf(v any) (string, []byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", nil, fmt.Errorf("encode a part of the configuration: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), raw, nil
}

// TakeBack takes back what is left of an edit. kept finds a value that the
// journal has only the digest of. What somebody undid already is left alone; where
// a value of ours was changed since, it refuses.
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
		now, there := mapAt(config, path[:len(path)-1])[path[len(path)-1]]
		back := there == one.Had && reflect.DeepEqual(now, before)
		if !back && !one.left(now, there) {
			return Edit{}, &fault.Error{Class: fault.Stale, Reason: "EditMoved", Object: object,
				Seen: "spec." + rkeConfigKey + "." + strings.Join(path, ".") + " is no longer as awsmigrate wrote it", Wanted: "the value that was written, or the one from before",
				Fix: "put it back by hand, then run again"}
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

// left reports whether a value is the one that the edit left.
func (i Inverse) left(now any, there bool) bool {
	if i.IsSHA256 != "" {
		sum, _, err := digestOf(now)
		return there && err == nil && sum == i.IsSHA256
	}
	return there == (i.Is != nil) && reflect.DeepEqual(now, i.Is)
}

// pathOf is the path under the configuration that a pointer names.
func pathOf(pointer string) []string {
	var path []string
	for _, key := range strings.Split(strings.TrimPrefix(pointer, "/spec/"+rkeConfigKey+"/"), "/") {
		path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(key))
	}
	return path
}
