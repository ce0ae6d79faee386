package bounded

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// maxDepth is the maximum nesting of lists and maps in any document. Objects of Kubernetes,
// their managedFields included, stay below 40.
const maxDepth = 100

// Limits holds the limits of one document.
type Limits struct {
	Bytes  int // of its text, decompressed
	Values int // in it: maps, lists and scalars, but no keys
}

// ExceededError describes a document that is larger than its limits.
type ExceededError struct {
	Limit int
	Unit  string // what Limit counts: "bytes", "values"
}

// Error implements error.
func (e *ExceededError) Error() string { return fmt.Sprintf("has more than %d %s", e.Limit, e.Unit) }

// Exceeded reports whether an error says that a document is larger than its limits.
func Exceeded(err error) bool {
	var exceeded *ExceededError
	return errors.As(err, &exceeded)
}

// String formats the limits: "4194304 bytes and 65536 values".
func (l Limits) String() string { return fmt.Sprintf("%d bytes and %d values", l.Bytes, l.Values) }

// ReadAll reads a document to its end. It stops one byte beyond the limit.
func (l Limits) ReadAll(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(l.Bytes)+1))
	if err != nil {
		return nil, err
	}
	return text, l.checkBytes(text)
}

// Open opens a file to be read. A pipe without a writer is empty: waiting for one would hang.
func Open(path string) (*os.File, error) {
	return os.OpenFile(filepath.Clean(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// ReadFile reads a file and does not trust the size that the file system reports for it.
func (l Limits) ReadFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	text, err := l.ReadAll(file)
	return text, errors.Join(err, file.Close())
}

// Gunzip decompresses a document.
func (l Limits) Gunzip(packed []byte) ([]byte, error) {
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := l.ReadAll(in)
	if err != nil {
		return nil, err
	}
	return text, in.Close()
}

// DecodeJSON decodes a JSON document. It returns an error if the document exceeds the limits.
func (l Limits) DecodeJSON(text []byte, into any) error {
	if err := l.CheckJSON(text); err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// CheckJSON returns an error if a JSON document exceeds the limits. It allocates no memory.
// Text that is not JSON may pass: the decoder rejects it.
func (l Limits) CheckJSON(text []byte) error {
	if err := l.checkBytes(text); err != nil {
		return err
	}
	scan := jsonScan{limits: l, values: 1}
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			i = endOfString(text, i)
			continue
		}
		if err := scan.put(text, i); err != nil {
			return err
		}
	}
	return nil
}

func (l Limits) checkBytes(text []byte) error {
	if len(text) > l.Bytes {
		return &ExceededError{Limit: l.Bytes, Unit: "bytes"}
	}
	return nil
}

// jsonScan counts values by their separators.
type jsonScan struct {
	limits        Limits
	values, depth int
}

// put counts the byte at i, which is outside of strings. A value follows each comma, and each
// bracket that is not closed at once.
func (s *jsonScan) put(text []byte, i int) error {
	switch text[i] {
	case '[', '{':
		s.depth++
		rest := bytes.TrimLeft(text[i+1:], " \t\r\n")
		if len(rest) > 0 && rest[0] != ']' && rest[0] != '}' {
			s.values++
		}
	case ']', '}':
		s.depth--
	case ',':
		s.values++
	}
	switch {
	case s.values > s.limits.Values:
		return &ExceededError{Limit: s.limits.Values, Unit: "values"}
	case s.depth > maxDepth:
		return &ExceededError{Limit: maxDepth, Unit: "levels"}
	}
	return nil
}

// endOfString returns the index of the quote that ends the string starting at from.
func endOfString(text []byte, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}
