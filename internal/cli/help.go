package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// flagGroup is a heading of help, and the flags below it.
type flagGroup struct {
	title string
	flags string // by name, with blanks between
}

// flagGroups are those of help, in order. What is in none is about how a command runs.
func flagGroups() []flagGroup {
	return []flagGroup{
		{"Which cluster", "cluster clusters config distribution from namespace namespaces rke"},
		{"Access", "assumable-roles assume-role aws aws-secret cloud-config-secret context downstream-kubeconfig downstream-secret external-id " +
			"kubeconfig no-reach profile region request-timeout rke-arg rke-binary role-session-name service-account-name"},
		{"What is done", "all ccm-image chart cloud-config cloud-routes edits end-state etcd-snapshot fail-on hand-over handoff include-pending install-method " +
			"keep-leader-migration kubernetes-version no-etcd-snapshot no-rke-up offline only owner-informed plan preflight skip step until values"},
	}
}

// fewFlags need no headings.
const fewFlags = 12

// groupCommands puts commands below headings, by what they are for.
func groupCommands(root *cobra.Command) {
	for _, group := range []struct{ title, commands string }{
		{"Migrate", "rke2 rke job controller"}, {"Look", "list plan status verify record report explain"}, {"The program itself", "version"},
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

// usage writes how a command is used, no line wider than the screen.
func usage(cmd *cobra.Command, width int) error {
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
	writeFlags(&out, cmd.Flags(), width)
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

// writeFlags puts many flags below headings, and few below one.
func writeFlags(out io.Writer, flags *pflag.FlagSet, width int) {
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
	for _, group := range flagGroups() {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		rest = pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.VisitAll(func(f *pflag.Flag) {
			if slices.Contains(strings.Fields(group.flags), f.Name) {
				set.AddFlag(f)
				return
			}
			rest.AddFlag(f)
		})
		flags = rest
		show(group.title, set)
	}
	show("How it runs", rest)
}
