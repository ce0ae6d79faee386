package clusterfile

import (
	"io"
	"io/fs"
)

// FS holds the disk operations for reading and writing: one method for each operation that can
// fail or be the last before a crash. Disk implements it.
type FS interface {
	// Resolve follows symbolic links. It returns an error for a loop or a missing file.
	Resolve(path string) (string, error)
	// Stat does not follow links.
	Stat(path string) (fs.FileInfo, error)
	ReadFile(path string) ([]byte, error)
	// Temp creates a file with a unique name that only its owner can read.
	Temp(dir, prefix, suffix string) (TempFile, error)
	// Rename replaces the file at to atomically.
	Rename(from, to string) error
	Remove(path string) error
	// List returns the names in a folder.
	List(dir string) ([]string, error)
	// SyncDir makes the names in a folder survive a crash of the machine.
	SyncDir(dir string) error
}

// TempFile is a temporary file.
type TempFile interface {
	io.Writer
	Name() string
	// Like copies another file's mode and, if permitted, its owner.
	Like(info fs.FileInfo) error
	// Sync makes the content survive a crash of the machine.
	Sync() error
	Close() error
}
