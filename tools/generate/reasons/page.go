// Package reasons writes docs/reasons.md from the faults in the product's code.
package reasons

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/docs"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	pages "github.com/awsmigrate/awsmigrate/internal/page"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Page returns docs/reasons.md. It reads the code below root, the folder of the repository.
func Page(root string) ([]byte, error) {
	all, err := reasonsBelow(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprint(&out, `# Reasons

Every word that an Error document has as its `+"`reason`"+`, with its [exit code](exit-codes.md) and what is fixed in its texts; what names an object of yours stands in the message alone. `+"`awsmigrate explain REASON`"+` adds what the pages of the last column say of it. Written by `+"`make generate`"+` from the code.

| reason | exit | seen | wanted | what to do | `+view.MorePages+` |
|---|---|---|---|---|---|
`)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := all[name]
		if note := notes()[name]; note != "" && len(r.seen) == 0 {
			r.seen = []string{note}
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s | %s |\n", name, r.exits(), texts(r.seen), texts(r.wanted), texts(r.fix), strings.Join(pagesOn(name), ", "))
	}
	return out.Bytes(), nil
}

// pagesOn are links to the pages with a table that has a word, from the folder docs.
func pagesOn(name string) []string {
	var links []string
	_ = fs.WalkDir(docs.Pages, ".", func(file string, entry fs.DirEntry, err error) error { // what is embedded can be read
		if err != nil || entry.IsDir() || file == view.ReasonsPage {
			return err
		}
		text, err := docs.Pages.ReadFile(file)
		if err == nil && len(pages.RowsOn(string(text), name)) > 0 {
			links = append(links, fmt.Sprintf("[%s](%s)", strings.TrimSuffix(path.Base(file), ".md"), file))
		}
		return err
	})
	return links
}

// reason is what the code says of one: each text once, in order.
type reason struct{ class, seen, wanted, fix []string }

// exits are the codes of its classes; a fault without one is unexpected.
func (r *reason) exits() string {
	var codes []int
	for _, name := range r.class {
		code := view.ExitCode(&fault.Error{Class: classes()[name]})
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(codes), " ", ", "), "[]")
}

func classes() map[string]fault.Class {
	return map[string]fault.Class{
		"Unexpected": fault.Unexpected, "Usage": fault.Usage, "Check": fault.Check, "Warnings": fault.Warnings, "Pending": fault.Pending,
		"Gate": fault.Gate, "Declined": fault.Declined, "Locked": fault.Locked, "Stale": fault.Stale, "CouldNotLook": fault.CouldNotLook,
		"NoProgress": fault.NoProgress, "Interrupted": fault.Interrupted, "HungUp": fault.HungUp,
	}
}

// texts are in one cell.
func texts(all []string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(all, "; or: "), "|", `\|`), "\n", " ")
}
