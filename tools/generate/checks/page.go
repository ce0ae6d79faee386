// Package checks writes docs/checks.md from the registries of checks.
package checks

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/checklist"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Page returns docs/checks.md, with every check of the registries.
func Page() []byte {
	var text bytes.Buffer
	all := checklist.All()
	slices.SortFunc(all, func(a, b verify.Meta) int { return strings.Compare(a.ID, b.ID) })
	fmt.Fprintf(&text, `# Checks

What [awsmigrate verify](verify.md) and the steps [preflight](steps/preflight.md) and [verify](steps/verify.md) judge: %d checks. This page is generated (%s); %s says the same offline.

IDs are stable and never used again for another check. *At* are the [positions](README.md#words) at which a check applies; elsewhere it is skipped. A check marked **§** decides safety and cannot be skipped. *API alone* is a cluster that Rancher's and rke's own data say nothing of: `+"`awsmigrate verify --kubeconfig FILE`"+`.

`, len(all), "`make generate`", "`awsmigrate explain ID`")
	for _, category := range checklist.Categories() {
		fmt.Fprintf(&text, "- [%s](#%s)%s\n", heading(category), anchor(category), span(all, category))
	}
	for _, category := range checklist.Categories() {
		fmt.Fprintf(&text, "\n## %s\n", heading(category))
		for _, meta := range all {
			if meta.Category == category {
				text.WriteString(section(meta))
			}
		}
	}
	return text.Bytes()
}

// section returns the text of one check. Its anchor has a separate line, followed by an
// empty one: GitHub's name of a heading changes with the title, and links of old reports
// must not change.
func section(meta verify.Meta) string {
	variants := checklist.Variants(meta.ID)
	return fmt.Sprintf(`
<a id=%q></a>

### %s %s%s

`, strings.ToLower(meta.ID), meta.ID, inline(meta.Title), keptMark(meta)) +
		items("Why", variants, func(v checklist.Variant) string { return v.Meta.Why }) +
		items("Fix", variants, func(v checklist.Variant) string { return v.Meta.Fix }) +
		items("At", variants, func(v checklist.Variant) string { return where(v.Meta) + clusterKinds(variants) }) +
		items("Source", variants, func(v checklist.Variant) string { return v.Meta.Source })
}

// items returns one list item of a check, or one for each variant if the texts differ.
func items(name string, variants []checklist.Variant, text func(checklist.Variant) string) string {
	first := text(variants[0])
	if !slices.ContainsFunc(variants, func(v checklist.Variant) bool { return text(v) != first }) {
		return fmt.Sprintf("- **%s:** %s\n", name, inline(first))
	}
	var list string
	for _, v := range variants {
		list += fmt.Sprintf("- **%s, %s:** %s\n", name, strings.Join(v.Kinds, " and "), inline(text(v)))
	}
	return list
}

// heading returns a category as a title. A category of three letters is an abbreviation.
func heading(category string) string {
	if len(category) == 3 {
		return strings.ToUpper(category)
	}
	return strings.ToUpper(category[:1]) + category[1:]
}

// anchor returns GitHub's anchor for the heading of a category.
func anchor(category string) string { return strings.NewReplacer(",", "", " ", "-").Replace(category) }

// span returns the number of checks of a category, with the first and the last ID.
func span(all []verify.Meta, category string) string {
	var ids []string
	for _, meta := range all {
		if meta.Category == category {
			ids = append(ids, meta.ID)
		}
	}
	return fmt.Sprintf(": %d, from %s to %s", len(ids), ids[0], ids[len(ids)-1])
}

func keptMark(meta verify.Meta) string {
	if !meta.Skippable() {
		return " §"
	}
	return ""
}

// clusterKinds returns the kinds of clusters that a check applies to. It returns "" if the check
// applies to all, or its variants name them.
func clusterKinds(variants []checklist.Variant) string {
	if len(variants) > 1 || len(variants[0].Kinds) == len(checklist.Kinds()) {
		return ""
	}
	return "; " + strings.Join(variants[0].Kinds, ", ")
}

func where(meta verify.Meta) string {
	if len(meta.Applies) == 0 {
		return "every position"
	}
	first, last := meta.Applies[0], meta.Applies[len(meta.Applies)-1]
	if first == last {
		return first.String()
	}
	if int(last-first) == len(meta.Applies)-1 {
		return fmt.Sprintf("%s–%s", first, last)
	}
	var names []string
	for _, p := range meta.Applies {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

// inline returns text that is safe in a line of Markdown.
func inline(text string) string {
	return strings.NewReplacer("\n", " ", "<", "&lt;", ">", "&gt;", "*", `\*`).Replace(text)
}
