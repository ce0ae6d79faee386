package cli

import (
	"errors"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// showError prints an error where the chosen format wants it: one document on
// stdout, or lines for people on stderr.
func (a *app) showError(err error) {
	if a.output != "" && a.output != "text" {
		if writeErr := writeDocument(a.streams.Out, a.output, newErrorDocument(err)); writeErr == nil {
			return
		}
	}
	s := newScreen(a.streams, a.streams.Err)
	for _, one := range flatten(err) {
		for i, line := range faultLines(one) {
			s.line("%s%s", [2]string{"error: ", "  "}[min(i, 1)], line)
		}
	}
	s.line("exit %d", ExitCode(err))
}

// faultLines are an error's object with what was seen, what was wanted, the
// cause and the fix, one to a line, so that nothing has to be parsed out of a
// sentence.
func faultLines(err error) []string {
	f, ok := fault.As(err)
	if !ok {
		return []string{err.Error()}
	}
	lines := []string{headline(f)}
	if f.Wanted != "" {
		lines = append(lines, "wanted   "+f.Wanted)
	}
	if f.Err != nil {
		lines = append(lines, "cause    "+f.Err.Error())
	}
	if f.Fix != "" {
		lines = append(lines, "fix      "+f.Fix)
	}
	return lines
}

func headline(f *fault.Error) string {
	seen := f.Seen
	if seen == "" {
		seen = f.Reason
	}
	if f.Object == "" {
		return seen
	}
	return f.Object + ": " + seen
}

// flatten lists the errors that errors.Join put together, without the marker.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, inner := range joined.Unwrap() {
		if !errors.Is(inner, errShown) {
			all = append(all, flatten(inner)...)
		}
	}
	return all
}
