package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// page is docs/checks.md: every check there is, from the registries that
// make them.
func page() []byte {
	var text bytes.Buffer
	all := target.AllChecks()
	slices.SortFunc(all, func(a, b verify.Meta) int { return strings.Compare(a.ID, b.ID) })
	fmt.Fprintf(&text, `# Checks

What [awsmigrate verify](verify.md) and the steps [preflight](steps/preflight.md) and [verify](steps/verify.md) judge: %d checks. This page is generated (%s); %s says the same offline.

IDs are stable and never used again for another check. *At* are the [positions](README.md#words) at which a check applies; elsewhere it is skipped. A check marked **§** decides safety and cannot be skipped.
`, len(all), "`make generate`", "`awsmigrate explain ID`")
	for _, category := range target.Categories() {
		fmt.Fprintf(&text, "\n## %s\n\n| ID | check | why | fix | at | source |\n|---|---|---|---|---|---|\n", strings.ToUpper(category[:1])+category[1:])
		for _, meta := range all {
			if meta.Category == category {
				fmt.Fprintf(&text, "| <a id=%q></a>%s%s | %s | %s | %s | %s | %s |\n", strings.ToLower(meta.ID), meta.ID, keptMark(meta),
					cell(meta.Title)+only(meta), cell(meta.Why), cell(meta.Fix), where(meta), cell(meta.Source))
			}
		}
	}
	return text.Bytes()
}

func keptMark(meta verify.Meta) string {
	if !meta.Skippable() {
		return " **§**"
	}
	return ""
}

// only says that a check is made for one distribution alone.
func only(meta verify.Meta) string {
	has := func(metas []verify.Meta) bool {
		return slices.ContainsFunc(metas, func(m verify.Meta) bool { return m.ID == meta.ID })
	}
	switch {
	case !has(rkechecks.Metas()) && !has(rke2checks.Metas()):
		return " (known by its API alone)"
	case !has(rkechecks.Metas()):
		return " (RKE2)"
	case !has(rke2checks.Metas()):
		return " (RKE)"
	}
	return ""
}

func where(meta verify.Meta) string {
	if len(meta.Applies) == 0 {
		return "all"
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

// cell is text that a table of Markdown takes.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", ">", "&gt;", "*", `\*`).Replace(text)
}
