package clusterfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
)

// Disk implements FS with the operating system's file system.
type Disk struct{}

// Resolve implements FS.
func (Disk) Resolve(path string) (string, error) { return filepath.EvalSymlinks(path) }

// Stat implements FS.
func (Disk) Stat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// maxFile is the maximum number of bytes read of any file, regardless of its reported size. A
// state that rke wrote is larger than a cluster.yml.
const maxFile = 16 << 20

// ReadFile implements FS.
func (Disk) ReadFile(path string) ([]byte, error) {
	return bounded.Limits{Bytes: maxFile}.ReadFile(path)
}

// Temp implements FS.
func (Disk) Temp(dir, prefix, suffix string) (TempFile, error) {
	f, err := os.CreateTemp(dir, prefix+"*"+suffix)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

// Rename implements FS.
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (Disk) Remove(path string) error { return os.Remove(path) }

// List implements FS.
func (Disk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// SyncDir implements FS. Some network file systems cannot sync folders; their renames are as
// durable as they can be.
func (Disk) SyncDir(dir string) error {
	d, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

type diskFile struct{ *os.File }

// Like implements TempFile. It ignores a failure to set the owner: only root may, and a user who
// can write to the folder may replace the file.
func (f diskFile) Like(info fs.FileInfo) error {
	if err := chown(f.File, info); err != nil && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("owner: %w", err)
	}
	return f.Chmod(info.Mode().Perm())
}
