package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
)

// longWord says whether a line has a word for which even the widest column has no room,
// such as a list of many values.
func longWord(line string, width int) bool {
	const names = 36 // columns of flags and their types
	return slices.ContainsFunc(strings.Fields(line), func(word string) bool { return len(word) > width-names })
}

// Help shows every flag and every command once, and no line is wider than the screen,
// but for what is typed.
func TestHelpFitsAndIsWhole(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, width := range []int{72, 80, 120} {
			var out bytes.Buffer
			cmd.SetOut(&out)
			if err := usage(cmd, width); err != nil {
				t.Fatal(err)
			}
			before, _, _ := strings.Cut(out.String(), "\nExamples:")
			for _, line := range strings.Split(out.String(), "\n") {
				if utf8.RuneCountInString(line) > width && !strings.Contains(line, "awsmigrate ") && !longWord(line, width) {
					t.Errorf("%s at %d: %q", cmd.CommandPath(), width, line)
				}
			}
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if n := strings.Count(out.String(), "--"+f.Name+" ") + strings.Count(out.String(), "--"+f.Name+"\n"); n == 0 {
					t.Errorf("%s does not show --%s", before, f.Name)
				}
			})
			for _, child := range cmd.Commands() {
				if !strings.Contains(out.String(), "\n  "+child.Name()+" ") {
					t.Errorf("%s does not show %s", cmd.CommandPath(), child.Name())
				}
			}
		}
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(newRoot(&app{}))
}

// A heading is for flags that there are, and none is below two.
func TestFlagGroupsAreOfFlags(t *testing.T) {
	known, grouped := map[string]bool{}, []string{}
	everyFlag(func(_ *cobra.Command, f *pflag.Flag) { known[f.Name] = true })
	root := newRoot(&app{})
	for _, path := range []string{"rke2", "rke2 plan", "rke plan", "verify", "list"} {
		cmd, _, err := root.Find(strings.Fields(path))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	rke, _, _ := root.Find([]string{"rke"})
	rke.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	for _, group := range flagGroups() {
		for _, flag := range strings.Fields(group.flags) {
			if !known[flag] || slices.Contains(grouped, flag) {
				t.Errorf("%s: --%s is no flag, or in two groups", group.title, flag)
			}
			grouped = append(grouped, flag)
		}
	}
}

func TestVersionFlag(t *testing.T) {
	var flag, command bytes.Buffer
	Main(t.Context(), []string{"--version"}, console.Streams{Out: &flag, Err: &flag})
	Main(t.Context(), []string{"version"}, console.Streams{Out: &command, Err: &command})
	if flag.String() != command.String() || !strings.HasPrefix(flag.String(), "awsmigrate ") {
		t.Errorf("%q, %q", flag.String(), command.String())
	}
}
