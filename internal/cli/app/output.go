package app

import (
	"io"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// output is standard output. It remembers the first failed write, so that a command whose text was
// lost does not end as if it had been read. Views need not check each line.
type output struct {
	to io.Writer
	// detaches reports whether a run moves to its log when the reader is gone. Such a write is
	// returned as failed, and not remembered.
	detaches bool

	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	n, err := o.to.Write(text)
	if err == nil {
		return n, nil
	}
	if o.detaches && isReaderGone(err) {
		return n, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	return len(text), nil
}

// lost returns an error if a write failed, or nil.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		return nil
	}
	return &fault.Error{Class: fault.Unexpected, Reason: "OutputLost", Seen: "could not write standard output",
		Fix: "free space or redirect the output, then run the same command again", Err: o.err}
}
