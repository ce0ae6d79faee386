package clusterfile

import (
	"io"
	"io/fs"
)

// FS is the few operations on disk that reading and writing need, one method
// for each that can fail or be the last before a crash. Disk is the real one.
type FS interface {
	// Resolve follows symbolic links, and fails on a loop or a missing file.
	Resolve(path string) (string, error)
	// Stat does not follow a link.
	Stat(path string) (fs.FileInfo, error)
	ReadFile(path string) ([]byte, error)
	// Temp makes a new file with a name of its own, for its owner alone.
	Temp(dir, prefix, suffix string) (TempFile, error)
	// Rename replaces what is at to, at once.
	Rename(from, to string) error
	Remove(path string) error
	// List gives the names in a folder.
	List(dir string) ([]string, error)
	// SyncDir makes names in a folder survive a crash of the machine.
	SyncDir(dir string) error
}

// TempFile is a file that is being written.
type TempFile interface {
	io.Writer
	Name() string
	// Like gives the file another's mode and, where permitted, its owner.
	Like(info fs.FileInfo) error
	// Sync makes the content survive a crash of the machine.
	Sync() error
	Close() error
}
