package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// page is docs/reasons.md.
func page(root string) ([]byte, error) {
	all, err := reasonsBelow(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprint(&out, `# Reasons

Every word that an Error document has as its `+"`reason`"+`, with its [exit code](exit-codes.md) and what is fixed in its texts; what names an object of yours stands in the message alone. `+"`awsmigrate explain REASON`"+` adds what the other pages say of it. Written by `+"`make generate`"+` from the code.

| reason | exit | seen | wanted | what to do |
|---|---|---|---|---|
`)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := all[name]
		if note := notes()[name]; note != "" && len(r.seen) == 0 {
			r.seen = []string{note}
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s |\n", name, r.exits(), texts(r.seen), texts(r.wanted), texts(r.fix))
	}
	return out.Bytes(), nil
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
