package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Sink accepts entries, one at a time and in order.
type Sink interface {
	Put(Entry) error
}

// Writer appends entries to a stream. Each entry is one complete write, so that a crash tears at
// most the last line.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
}

// NewWriter writes to out. If out buffers, it must flush on every Write; a file does not buffer.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Put implements Sink.
func (w *Writer) Put(e Entry) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return fmt.Errorf("encode an entry of %s: %w", e.At, err)
	}
	if err := entryLimits().CheckJSON(line.Bytes()); err != nil { // Read would drop it
		return fmt.Errorf("encode an entry of %s: it %w", e.At, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(line.Bytes()); err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	return nil
}
