package managed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

// maxInverse limits the JSON of an edit's inverses, in bytes. A genuine edit has less than
// 4 KiB.
const maxInverse = 64 << 10

// digestForm matches the SHA-256 that digestOf returns.
var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// leaf describes one key that edits set or remove, and its valid values before and after them.
// The journal holds the digest of a block.
type leaf struct {
	path  []string
	may   func(v any) bool
	block bool
}

// leaves returns the keys that Enable and Switch edit. It omits the version, because no step
// undoes an upgrade.
func leaves() []leaf {
	return []leaf{
		{path: flagPath(), may: isFlagValue},
		{path: []string{"cloudProvider", "name"}, may: isProviderName},
		{path: []string{"cloudProvider", keyMetadata}, may: isBool},
		{path: []string{"cloudProvider", keyAWSBlock}, may: func(v any) bool { return v == nil }, block: true},
	}
}

func isBool(v any) bool {
	_, is := v.(bool)
	return is || v == nil
}

// isFlagValue reports whether kube-controller-manager starts with the flag set to v. rke
// passes the value on unchanged.
func isFlagValue(v any) bool {
	text, is := v.(string)
	if !is {
		return isBool(v)
	}
	_, err := strconv.ParseBool(text)
	return err == nil || text == ""
}

// isProviderName reports whether v is a valid cloudProvider.name before or after an edit. An
// awsCloudProvider block also selects aws with some other names, which checkEditable refuses.
func isProviderName(v any) bool {
	text, is := v.(string)
	return v == nil || is && slices.Contains([]string{"", rkestate.ProviderAWS, "external", rkestate.ProviderExternal}, text)
}

// parseInverses parses the inverses of an edit from the journal. A writer of the journal can
// forge any JSON, so parseInverses only accepts keys and values that Enable and Switch write:
// the provider's name, its block and useInstanceMetadataHostname, the leader-migration flag,
// and the mappings above the flag.
func parseInverses(raw json.RawMessage) ([]Inverse, error) {
	if len(raw) > maxInverse {
		return nil, fmt.Errorf("%d bytes, at most %d expected", len(raw), maxInverse)
	}
	var all []Inverse
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("no inverses: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("no inverses: text follows them")
	}
	known := map[string]bool{}
	for _, one := range all {
		if known[one.Path] {
			return nil, fmt.Errorf("%.200s: changed twice", one.Path)
		}
		known[one.Path] = true
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("%.200s: %w", one.Path, err)
		}
	}
	return all, nil
}

func (i Inverse) check() error {
	if i.Pruned {
		return i.checkPruned()
	}
	at := slices.IndexFunc(leaves(), func(l leaf) bool { return pointer(l.path) == i.Path })
	if at < 0 {
		return errors.New("awsmigrate's edits do not write this key")
	}
	l := leaves()[at]
	for _, sum := range []string{i.SHA256, i.IsSHA256} {
		if sum != "" && (!l.block || !digestForm.MatchString(sum)) {
			return errors.New("awsmigrate keeps no value of this key by such a digest")
		}
	}
	if !l.may(i.Before) || !l.may(i.Is) || !i.Had && (i.Before != nil || i.SHA256 != "") {
		return errors.New("awsmigrate's edits write no such value")
	}
	for _, made := range i.Made {
		if !slices.ContainsFunc(parentPaths(l.path), func(path []string) bool { return pointer(path) == made }) {
			return fmt.Errorf("awsmigrate's edits do not make %.200s", made)
		}
	}
	return nil
}

// checkPruned returns an error unless the removed mapping is one above the flag.
func (i Inverse) checkPruned() error {
	want := Inverse{Path: i.Path, Had: true, SHA256: i.SHA256, Pruned: true}
	own := slices.ContainsFunc(parentPaths(flagPath()), func(path []string) bool { return pointer(path) == i.Path })
	if !own || !reflect.DeepEqual(i, want) || !digestForm.MatchString(i.SHA256) {
		return errors.New("awsmigrate's edits do not remove this mapping")
	}
	return nil
}

// parentPaths returns the paths of the mappings above a key, outermost first.
func parentPaths(path []string) [][]string {
	var all [][]string
	for depth := 1; depth < len(path); depth++ {
		all = append(all, path[:depth])
	}
	return all
}
