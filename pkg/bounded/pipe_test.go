//go:build unix

package bounded

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a writer would block the process, signals included.
func TestReadFile_pipeWithoutWriter_isEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := (Limits{Bytes: 10, Values: 10}).ReadFile(path); err != nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
}
