package usage

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// fewFlags need no headings.
const fewFlags = 12

// GroupCommands puts commands under headings by purpose.
func GroupCommands(root *cobra.Command) {
	for _, group := range []struct{ title, commands string }{
		{"Migrate", "rke2 rke job controller approve rollout"}, {"Look", "list plan status verify upgrade-path record report explain"}, {"The program itself", "version"},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, cmd := range root.Commands() {
			if slices.Contains(strings.Fields(group.commands), cmd.Name()) {
				cmd.GroupID = group.title
			}
		}
	}
	root.SetHelpCommandGroupID("The program itself")
	root.SetCompletionCommandGroupID("The program itself")
}

// ScopeOf returns the scope of a command's options. The program's name belongs to its root.
func ScopeOf(cmd *cobra.Command) options.Scope {
	var words []string
	for named := cmd; named.HasParent(); named = named.Parent() {
		words = append([]string{named.Name()}, words...)
	}
	path := strings.Join(words, " ")
	for _, known := range options.Commands() {
		if known.Name == path {
			return known.Has
		}
	}
	return 0
}

// Write writes a command's usage, with lines no wider than the screen.
func Write(cmd *cobra.Command, width int) error {
	var out strings.Builder
	out.WriteString("Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(&out, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&out, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&out, "\nExamples:\n%s\n", cmd.Example)
	}
	writeCommands(&out, cmd, width)
	writeFlags(&out, cmd.Flags(), ScopeOf(cmd), width)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&out, "\nUse \"%s [command] --help\" for more information about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), out.String())
	return err
}

func writeCommands(out io.Writer, cmd *cobra.Command, width int) {
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, group := range groups {
		title := "\n" + group.Title + ":\n"
		for _, child := range cmd.Commands() {
			if child.GroupID == group.ID && (child.IsAvailableCommand() || child.Name() == "help") {
				fmt.Fprint(out, title)
				title = ""
				indent := cmp.Or(child.NamePadding(), len(child.Name())) + 3
				for i, line := range console.Wrapped(child.Short, width-indent) {
					fmt.Fprintf(out, "%*s%s\n", -indent, [2]string{"  " + child.Name(), ""}[min(i, 1)], line)
				}
			}
		}
	}
}

// writeFlags writes many flags under headings, and few flags under one.
func writeFlags(out io.Writer, flags *pflag.FlagSet, scope options.Scope, width int) {
	rest := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(rest.AddFlag)
	show := func(title string, set *pflag.FlagSet) {
		if text := set.FlagUsagesWrapped(width); text != "" {
			fmt.Fprintf(out, "\n%s:\n%s", title, text)
		}
	}
	count := 0
	flags.VisitAll(func(*pflag.Flag) { count++ })
	if count <= fewFlags {
		show("Flags", rest)
		return
	}
	for _, group := range options.Groups()[:len(options.Groups())-1] {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		rest = pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.VisitAll(func(f *pflag.Flag) {
			if o, known := options.Find(f.Name, scope); known && o.Group == group {
				set.AddFlag(f)
				return
			}
			rest.AddFlag(f)
		})
		flags = rest
		show(string(group), set)
	}
	show(string(options.RunGroup), rest) // with the flags of every command
}
