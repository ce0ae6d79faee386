package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/app"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/usage"
	"github.com/awsmigrate/awsmigrate/pkg/options"
)

// longWord reports whether a line has a word that exceeds even the widest column, such as a list
// of many values.
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
			if err := usage.Write(cmd, width); err != nil {
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
	walk(newRoot(&app.App{}))
}

// A command has the flags that the table gives it, and no others.
func TestFlagsAreThoseOfTheTable(t *testing.T) {
	root := newRoot(&app.App{})
	for _, command := range options.Commands() {
		cmd, _, err := root.Find(strings.Fields(command.Name))
		if err != nil || usage.ScopeOf(cmd) != command.Has {
			t.Errorf("%s: %v", command.Name, err)
			continue
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if o, known := options.Find(f.Name, command.Has); f.Name != "output" && (!known || o.Usage() != f.Usage) {
				t.Errorf("%s --%s is not the table's", command.Name, f.Name)
			}
		})
		for _, o := range options.For(command.Has) {
			if cmd.Flags().Lookup(o.Flag) == nil {
				t.Errorf("%s has no --%s", command.Name, o.Flag)
			}
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
