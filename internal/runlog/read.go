package runlog

import (
	"bufio"
	"errors"
	"io"
)

// longest is how long a line of a log may be, in bytes: events have bounded texts, traces
// of crashes have not, and of those nothing is wanted.
const longest = 1 << 20

// Read gives the lines that a filter takes to do, in the order of the text, until it ends
// or do fails.
func Read(from io.Reader, f Filter, do func(Line) error) error {
	lines := bufio.NewReaderSize(from, longest)
	for {
		text, err := lines.ReadSlice('\n')
		if l, is := parse(text); is && err != bufio.ErrBufferFull && f.takes(l) { //nolint:errorlint // ReadSlice gives it as it is
			if err := do(l); err != nil {
				return err
			}
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of it
			_, err = lines.ReadSlice('\n')
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
