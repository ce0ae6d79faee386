package clusterfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Read reads and parses a cluster.yml. It returns a *fault.Error of class Usage unless path is a
// readable regular file.
func Read(path string) (*File, error) { return ReadFrom(Disk{}, path) }

// ReadFrom reads as Read does, from another file system.
func ReadFrom(disk FS, path string) (*File, error) {
	target, info, err := regular(disk, path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSize {
		return nil, unreadable(path, fmt.Sprintf("is %d bytes long", info.Size()), nil)
	}
	text, err := disk.ReadFile(target)
	if err != nil {
		return nil, unreadable(path, "cannot be read", err)
	}
	return Parse(path, text)
}

// ReadBackup returns the text before an edit of the file at path, for File.Undo.
func ReadBackup(disk FS, path string, r yamltext.Receipt) ([]byte, error) {
	target, _, err := regular(disk, path)
	if err != nil {
		return nil, err
	}
	name := BackupPath(target, r.Before)
	text, err := disk.ReadFile(name)
	if err != nil {
		return nil, unreadable(name, "the backup cannot be read", err)
	}
	if yamltext.Digest(text) != r.Before {
		return nil, unreadable(name, "is not the backup that was written", nil)
	}
	return text, nil
}

// BackupPath returns the path of the backup with that SHA-256, next to the file. Each text has
// exactly one backup.
func BackupPath(path, sha256 string) string {
	const enough = 12
	return path + ".awsmigrate-" + sha256[:min(enough, len(sha256))] + ".bak"
}

// regular follows links to a regular file. Other files are not opened: a pipe would block
// forever.
func regular(disk FS, path string) (string, fs.FileInfo, error) {
	target, err := disk.Resolve(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, unreadable(path, "does not exist", err)
	case err != nil && loop(disk, path, err):
		return "", nil, unreadable(path, "is a symbolic link that leads back to itself", err)
	case err != nil:
		return "", nil, unreadable(path, "cannot be reached", err)
	}
	info, err := disk.Stat(target)
	switch {
	case err != nil:
		return "", nil, unreadable(path, "cannot be reached", err)
	case info.IsDir():
		return "", nil, unreadable(path, "is a folder", nil)
	case !info.Mode().IsRegular():
		return "", nil, unreadable(path, "is no regular file", nil)
	}
	return target, info, nil
}

// loop reports whether links form a loop. path/filepath returns its own error for one; the
// system returns ELOOP.
func loop(disk FS, path string, err error) bool {
	if errors.Is(err, syscall.ELOOP) {
		return true
	}
	var known *fs.PathError
	info, bad := disk.Stat(filepath.Clean(path))
	return bad == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.As(err, &known)
}

func unreadable(path, seen string, err error) *fault.Error {
	return (&refusal{
		reason: ReasonUnreadable, seen: seen, wanted: "a readable cluster.yml", fix: "name the file with --config", err: err,
	}).in(path)
}
