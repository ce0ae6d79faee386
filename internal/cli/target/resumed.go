package target

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/options"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// anyRun is the scope of every run and undo.
const anyRun = migrations | options.Run | options.Undo

const migrations = options.RKE2 | options.UndoRKE2 | options.RKE | options.UndoRKE | options.Either

// Resuming returns the words with the options of the last run that had a goal: a next command
// continues that run. Options of this process take precedence, and a finished undo leaves none.
func (t Words) Resuming(runs []journal.Run) Words {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r journal.Run) bool { return r.Guard })
	if len(runs) == 0 {
		return t
	}
	last, undo, ok := shapingOptions(runs[len(runs)-1].Command)
	if !ok || undo && !t.Undoing {
		return t
	}
	return t.With(last)
}

// shapingOptions returns the options of a run's command that shape the migration, and whether the
// command is an undo. ok is false if the line is no command of a run.
func shapingOptions(line string) (shaping []Option, undo, ok bool) {
	words, ok := fault.SplitCommand(line)
	if !ok || strings.ContainsFunc(line, unicode.IsControl) {
		return nil, false, false
	}
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.Usage = func() {}
	Define(flags, anyRun)
	flags.StringP("output", "o", "", "")
	if err := flags.Parse(words); err != nil {
		return nil, false, false
	}
	shaping = slices.DeleteFunc(Typed(flags), func(o Option) bool {
		found, known := options.Find(o.Flag, migrations)
		return !known || !found.Shapes() && found.With == ""
	})
	command := flags.Args()
	isRun := slices.ContainsFunc(command, func(word string) bool { return wellknown.Distribution(word).Known() })
	return shaping, slices.Contains(command, "undo"), isRun
}
