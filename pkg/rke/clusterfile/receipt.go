package clusterfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// maxReceipt is the maximum size of a receipt's JSON; a genuine one has less than 2 KiB.
const maxReceipt = 64 << 10

// flagPath returns the path of the leader-migration flag.
func flagPath() []string {
	return []string{"services", "kube-controller", "extra_args", "enable-leader-migration"}
}

// digestForm matches the SHA-256 that yamltext.Digest returns.
var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ParseReceipt parses a receipt from the journal. Anyone who may write to the journal can
// put any JSON there. ParseReceipt therefore returns an error unless the receipt belongs to an
// edit that makes the provider external or sets the leader-migration flag: with another
// receipt, an undo would replace later lines by older ones of the backup.
func ParseReceipt(raw json.RawMessage) (yamltext.Receipt, error) {
	var r yamltext.Receipt
	if len(raw) > maxReceipt {
		return r, fmt.Errorf("%d bytes, at most %d expected", len(raw), maxReceipt)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return yamltext.Receipt{}, fmt.Errorf("no receipt: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return yamltext.Receipt{}, errors.New("no receipt: text follows it")
	}
	if err := checkReceipt(r); err != nil {
		return yamltext.Receipt{}, err
	}
	return r, nil
}

func checkReceipt(r yamltext.Receipt) error {
	if !digestForm.MatchString(r.Before) || !digestForm.MatchString(r.After) {
		return errors.New("before and after are no SHA-256")
	}
	if err := checkMade(r.Made); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, c := range r.Changes {
		name := yamltext.Dotted(c.Path)
		if known[name] {
			return fmt.Errorf("%s: changed twice", name)
		}
		known[name] = true
		if err := checkChange(c); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// checkChange returns an error unless a change is one of rke.EnableEdit and rke.SwitchEdit. The
// upgrade is excluded: no step undoes it.
func checkChange(c yamltext.Change) error {
	want, known := map[string]struct {
		style  yamltext.Style
		values []string
	}{
		"cloud_provider.name":                        {yamltext.Plain, []string{providerExternalAWS}},
		"cloud_provider.useInstanceMetadataHostname": {yamltext.Plain, []string{"true", "false"}},
		"cloud_provider.awsCloudProvider":            {},
		yamltext.Dotted(flagPath()):                  {yamltext.Quoted, []string{"true"}},
	}[yamltext.Dotted(c.Path)]
	switch {
	case !known:
		return errors.New("awsmigrate's edits do not change this key")
	case c.Digest != "":
		return errors.New("awsmigrate's edits write no hidden value")
	case c.Value != nil && (c.Style != want.style || !slices.Contains(want.values, *c.Value)):
		return errors.New("awsmigrate's edits write no such value")
	case c.Value == nil && c.Style == "" && slices.Equal(c.Path, flagPath()):
		return checkMade(yamltext.Made{Created: c.Prune, Filled: c.Refill})
	case len(c.Prune) > 0 || len(c.Refill) > 0 || c.Value == nil && (c.Style != "" || want.style != ""):
		return errors.New("awsmigrate's edits do not remove this key")
	}
	return nil
}

// checkMade returns an error unless the mappings that an edit made or filled are above its
// keys.
func checkMade(made yamltext.Made) error {
	above := func(path []string) bool {
		return len(path) > 0 && len(path) < len(flagPath()) && slices.Equal(path, flagPath()[:len(path)]) || slices.Equal(path, []string{"cloud_provider"})
	}
	for _, path := range made.Created {
		if !above(path) {
			return fmt.Errorf("awsmigrate's edits do not make %s", yamltext.Dotted(path))
		}
	}
	for _, one := range made.Filled {
		if !above(one.Path) || !one.Empty() {
			return fmt.Errorf("awsmigrate's edits do not fill %s", yamltext.Dotted(one.Path))
		}
	}
	if len(made.Created)+len(made.Filled) > 2*len(flagPath()) {
		return errors.New("more mappings than there are")
	}
	return nil
}
