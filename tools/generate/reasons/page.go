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

Every `+"`reason`"+` of an Error document, with its [exit code](exit-codes.md) and the constant parts of its texts. Only the message names your objects. `+"`awsmigrate explain REASON`"+` adds the rows of the pages in the last column. Written by `+"`make generate`"+` from the code.

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

// pagesOn returns links, from the folder docs, to the pages with a table that has a word.
func pagesOn(name string) []string {
	var links []string
	_ = fs.WalkDir(docs.Pages, ".", func(file string, entry fs.DirEntry, err error) error { // embedded files are always readable
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

// reason holds the texts of a reason in the code, each once and in order.
type reason struct{ class, seen, wanted, fix []string }

// exits returns the exit codes of its classes; a fault without a class is unexpected.
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

// texts returns all texts in one cell.
func texts(all []string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(all, "; or: "), "|", `\|`), "\n", " ")
}
