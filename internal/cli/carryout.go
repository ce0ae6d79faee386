package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// onlyToLook are flags that say how a plan is shown, and would keep a run from being one.
func onlyToLook() []string { return []string{"dry-run", "output", "offline"} }

// typedWords are the flags of a command that were typed and that the command which carries
// its plan out takes as well, one after the other with their values.
func typedWords(cmd *cobra.Command) []typedFlag {
	run := cmd
	if cmd.Name() == "plan" && cmd.Parent() != nil {
		run = cmd.Parent()
	}
	var typed []typedFlag
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if run.Flags().Lookup(f.Name) != nil && !slices.Contains(onlyToLook(), f.Name) {
			typed = append(typed, wordsOf(f))
		}
	})
	return typed
}

// typedFlag is a flag as words of a command line.
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
			of.words = append(of.words, word) // in one: a value may begin as a flag does
			continue
		}
		of.words = append(of.words, of.name)
	}
	return of
}

// carryOut names the target, and after it what else was typed.
func carryOut(words target.Words, typed []typedFlag) string {
	named := slices.Clone(words.Args)
	for _, flag := range typed {
		if !slices.Contains(named, flag.name) {
			words.Args = slices.Concat(words.Args, flag.words)
		}
	}
	return words.Run()
}
