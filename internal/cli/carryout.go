package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// displayFlags returns the flags that only affect the display of a plan.
func displayFlags() []string { return []string{"dry-run", "output", "offline"} }

// typedWords returns the typed flags that the command which carries out the plan takes as well,
// with their values.
func typedWords(cmd *cobra.Command) []typedFlag {
	run := cmd
	if cmd.Name() == "plan" && cmd.Parent() != nil {
		run = cmd.Parent()
	}
	var typed []typedFlag
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if run.Flags().Lookup(f.Name) != nil && !slices.Contains(displayFlags(), f.Name) {
			typed = append(typed, wordsOf(f))
		}
	})
	return typed
}

// typedFlag holds a flag as words of a command line.
type typedFlag struct {
	name  string
	words []string
}

func wordsOf(f *pflag.Flag) typedFlag {
	of := typedFlag{name: "--" + f.Name}
	values := []string{f.Value.String()}
	if many, ok := f.Value.(pflag.SliceValue); ok {
		values = many.GetSlice()
	}
	for _, value := range values {
		if word := of.name + "=" + value; f.NoOptDefVal == "" || value != f.NoOptDefVal {
			of.words = append(of.words, word) // as one word: a value may look like a flag
			continue
		}
		of.words = append(of.words, of.name)
	}
	return of
}

// carryOut returns the words of the target, followed by the other typed flags.
func carryOut(words target.Words, typed []typedFlag) string {
	named := slices.Clone(words.Args)
	for _, flag := range typed {
		if !slices.Contains(named, flag.name) {
			words.Args = slices.Concat(words.Args, flag.words)
		}
	}
	return words.Run()
}
