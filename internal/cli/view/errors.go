package view

import (
	"errors"
	"slices"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// errShown marks an error that a view has already put on the screen.
var errShown = errors.New("already shown")

// Shown marks an error as one that needs no further printing; nil stays nil.
func Shown(err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, errShown)
}

// IsShown says whether a view has shown an error already.
func IsShown(err error) bool { return errors.Is(err, errShown) }

// WriteError prints an error where its format wants it: one document on stdout, or
// lines for people on stderr.
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

// WriteFaults prints errors behind a prefix for the first line of each and one for those
// below it. On a terminal long lines go on below themselves.
func WriteFaults(s console.Screen, first, below string, errs []error) {
	for _, err := range errs {
		for i, line := range faultLines(err) {
			prefix := first + line.label
			if i > 0 {
				prefix = below + line.label
			}
			switch {
			case !s.Terminal:
				s.Line("%s%s", prefix, line.text)
			case line.label == labelFix:
				s.Remedy(prefix, line.text)
			default:
				s.Wrapped(prefix, line.text)
			}
		}
	}
}

// faultLine is one part of an error.
type faultLine struct{ label, text string }

// labelFix is that of what to do.
const labelFix = "fix      "

// faultLines are an error's object with what was seen, what was wanted, the
// cause and the fix, one to a line, so that nothing has to be parsed out of a
// sentence.
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

// Flatten lists the errors that errors.Join put together, without the marker.
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
