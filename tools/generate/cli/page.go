// Package cli writes docs/cli.md from the table of user options.
package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// Name is the path of the page.
const Name = "docs/cli.md"

// Page returns docs/cli.md: every flag of every command, by what it is for.
func Page() []byte {
	var text bytes.Buffer
	fmt.Fprint(&text, `# Flags

Every flag of every command, from the table in `+"`pkg/options`"+`; this page is generated (`+"`make generate`"+`). `+"`awsmigrate COMMAND --help`"+` shows the flags of one command.

*Plan* says how a flag is part of a plan: an approved plan is void if its **value** changes, or the **digest** of its content. A default is part of the plan as if you had typed it. *ClusterMigration* is the field that sets the same. Every command that prints a document also has `+"`-o`"+`.
`)
	for _, group := range options.Groups() {
		fmt.Fprintf(&text, "\n## %s\n\n| flag | commands | help | plan | ClusterMigration |\n|---|---|---|---|---|\n", group)
		for _, o := range options.Table() {
			if o.Group == group {
				fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", name(o), commands(o), help(o), basis(o), field(o))
			}
		}
	}
	return text.Bytes()
}

func name(o options.Option) string {
	if o.Short != "" {
		return "`-" + o.Short + "`, `--" + o.Flag + "`"
	}
	return "`--" + o.Flag + "`"
}

// commands returns the commands whose row this is.
func commands(o options.Option) string {
	var names []string
	for _, command := range options.Commands() {
		if row, has := options.Find(o.Flag, command.Has); has && row.Scope == o.Scope {
			names = append(names, command.Name)
		}
	}
	return strings.Join(names, ", ")
}

func help(o options.Option) string {
	var words []string
	for _, word := range o.Words {
		words = append(words, "`"+word+"`")
	}
	text := o.Help
	if o.Choice() {
		text = strings.Join(words, ", ") + ": " + text
	}
	if o.Default != "" && !strings.HasPrefix(o.Default, "$") {
		text += " (default `" + o.Default + "`)"
	}
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(text)
}

func basis(o options.Option) string {
	return map[options.Basis]string{options.ByValue: "value", options.ByDigest: "digest"}[o.Basis]
}

// field returns the field of a ClusterMigration that sets the option of a run.
func field(o options.Option) string {
	if o.Path == "" || o.Scope&(options.RKE2|options.Run) == 0 {
		return ""
	}
	return "`" + o.Path + "`"
}
