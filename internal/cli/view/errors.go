package view

import (
	"errors"
	"regexp"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// errShown marks an error that a view has already printed.
var errShown = errors.New("already shown")

// Shown marks an error as already printed. It returns nil for nil.
func Shown(err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, errShown)
}

// IsShown reports whether a view has already printed the error.
func IsShown(err error) bool { return errors.Is(err, errShown) }

// WriteError prints an error in its format: one document on stdout, or lines for people on stderr.
func WriteError(streams console.Streams, format string, err error) {
	if slices.Contains(documentFormats(), format) {
		if writeErr := WriteDocument(streams.Out, format, NewErrorDocument(err)); writeErr == nil {
			return
		}
	}
	s := console.NewScreen(streams, streams.Err)
	WriteFaults(s, "error: ", "  ", Flatten(err))
	s.Line("exit %d", ExitCode(err))
}

// WriteFaults prints errors. first is the prefix of each error's first line, below that of its further lines.
// On a terminal long lines are wrapped, and a command of a fix has a separate line.
func WriteFaults(s console.Screen, first, below string, errs []error) {
	for _, err := range errs {
		for i, line := range faultLines(err) {
			line.text = asTyped(s.Program, line.text)
			prefix := first + line.label
			if i > 0 {
				prefix = below + line.label
			}
			if line.label == labelFix {
				s.Remedy(prefix, line.text)
			} else {
				s.Prose(prefix, line.text)
			}
		}
	}
}

// ownCommand matches a command of this program in a text.
var ownCommand = regexp.MustCompile(`\b(?:kubectl )?awsmigrate (list|plan|status|verify|report|rke2|rke|job|rollout|explain)\b`)

// asTyped returns a text whose commands begin with the words that start the program.
func asTyped(program, text string) string {
	if program == "" {
		return text
	}
	return ownCommand.ReplaceAllString(text, program+" $1")
}

// faultLine is one part of an error.
type faultLine struct{ label, text string }

// labelFix is the label of the fix.
const labelFix = "fix      "

// faultLines returns an error's headline, wanted state, cause and fix as separate lines, so that no sentence
// has to be parsed.
func faultLines(err error) []faultLine {
	f, ok := fault.As(err)
	if !ok {
		return []faultLine{{"", err.Error()}}
	}
	lines := []faultLine{{"", fault.Headline(err)}}
	if f.Wanted != "" {
		lines = append(lines, faultLine{"wanted   ", f.Wanted})
	}
	if f.Err != nil {
		lines = append(lines, faultLine{"cause    ", f.Err.Error()})
	}
	if f.Fix != "" {
		lines = append(lines, faultLine{labelFix, f.Fix})
	}
	return lines
}

// Flatten returns the errors that errors.Join combined, without the marker of Shown.
func Flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, inner := range joined.Unwrap() {
		if !errors.Is(inner, errShown) {
			all = append(all, Flatten(inner)...)
		}
	}
	return all
}
