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

// maxInverse bounds the JSON of an edit's inverses; an honest edit has less than 4 KiB.
const maxInverse = 64 << 10

// digestForm matches the SHA-256 that digestOf returns.
var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// leaf is one key that the edits set or remove, and the values that it may have before
// and after them. A block is kept by its digest.
type leaf struct {
	path  []string
	may   func(v any) bool
	block bool
}

// leaves are the keys of Enable and Switch. The version is not among them: no step takes
// an upgrade back.
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

// isFlagValue reports whether kube-controller-manager starts with the flag at v; rke
// gives it the value as it is written.
func isFlagValue(v any) bool {
	text, is := v.(string)
	if !is {
		return isBool(v)
	}
	_, err := strconv.ParseBool(text)
	return err == nil || text == ""
}

// isProviderName reports whether cloudProvider.name may be v before or after an edit. A
// block of AWS makes the provider aws next to some other names, too; editable refuses
// those.
func isProviderName(v any) bool {
	text, is := v.(string)
	return v == nil || is && slices.Contains([]string{"", rkestate.ProviderAWS, "external", rkestate.ProviderExternal}, text)
}

// parseInverses parses the inverses of an edit out of the journal. Anyone who may write to
// the journal can put any JSON there, so ParseInverses returns an error unless they touch
// only keys and values that Enable and Switch write: the provider's name, its block and
// useInstanceMetadataHostname, the leader-migration flag, and the mappings above that.
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
		if !slices.ContainsFunc(above(l.path), func(path []string) bool { return pointer(path) == made }) {
			return fmt.Errorf("awsmigrate's edits do not make %.200s", made)
		}
	}
	return nil
}

// checkPruned holds a mapping that went with its last key to those above the flag.
func (i Inverse) checkPruned() error {
	want := Inverse{Path: i.Path, Had: true, SHA256: i.SHA256, Pruned: true}
	own := slices.ContainsFunc(above(flagPath()), func(path []string) bool { return pointer(path) == i.Path })
	if !own || !reflect.DeepEqual(i, want) || !digestForm.MatchString(i.SHA256) {
		return errors.New("awsmigrate's edits do not remove this mapping")
	}
	return nil
}

// above lists the mappings above a key, outermost first.
func above(path []string) [][]string {
	var all [][]string
	for depth := 1; depth < len(path); depth++ {
		all = append(all, path[:depth])
	}
	return all
}
