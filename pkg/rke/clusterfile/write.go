package clusterfile

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Write writes the new text to the file at path, or to the file that a link there points to. The
// disk holds the old or the new text at all times. Write first stores the old text at
// BackupPath, with the same mode because it may hold secrets. It never overwrites a backup with
// other content.
//
// It returns a *fault.Error of class Usage and leaves the file unchanged if the file is no
// longer the text that the edit was computed from. After a crash, the same call finishes the
// work and removes leftovers of the first call. A nil disk means Disk.
func (e Edit) Write(disk FS, path string) error {
	if disk == nil {
		disk = Disk{}
	}
	target, info, err := regular(disk, path)
	if err != nil {
		return err
	}
	w := writing{disk: disk, name: path, target: target, info: info}
	if err := w.sweep(); err != nil {
		return err
	}
	if e.Empty() {
		return w.unchanged(e.Before)
	}
	now, err := disk.ReadFile(target)
	switch {
	case err != nil:
		return unreadable(path, "cannot be read", err)
	case !bytes.Equal(now, e.Before) && !bytes.Equal(now, e.After):
		return w.changed()
	}
	if err := w.backup(e.Before); err != nil {
		return err
	}
	if !bytes.Equal(now, e.After) {
		if err := w.replace(target, e.After, func() error { return w.unchanged(e.Before) }); err != nil {
			return err
		}
	}
	if err := disk.SyncDir(filepath.Dir(target)); err != nil {
		f := w.failed("the new text is in place, but may be lost if the machine crashes now", err)
		f.Reason, f.Fix = ReasonWrittenNotDurable, "run `sync`, then run again"
		return f
	}
	return nil
}

// writing is one call of Write in progress.
type writing struct {
	disk         FS
	name, target string
	info         fs.FileInfo
}

const tempSuffix = ".tmp"

// tempPrefix returns the prefix of the names of our temporary files next to the file.
func (w writing) tempPrefix() string { return "." + filepath.Base(w.target) + ".awsmigrate-" }

// sweep removes temporary files of a killed run. The caller's lock guarantees that no other run
// is active.
func (w writing) sweep() error {
	dir := filepath.Dir(w.target)
	names, err := w.disk.List(dir)
	if err != nil {
		// A folder that can be entered but not listed still accepts new files.
		return nil //nolint:nilerr // nothing to sweep that can be seen
	}
	for _, name := range names {
		if !strings.HasPrefix(name, w.tempPrefix()) || !strings.HasSuffix(name, tempSuffix) {
			continue
		}
		if err := w.disk.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return w.failed("a temporary file of an earlier run cannot be removed: "+name, err)
		}
	}
	return nil
}

// unchanged returns an error unless the file is still the text before the edit.
func (w writing) unchanged(before []byte) error {
	now, err := w.disk.ReadFile(w.target)
	if err != nil {
		return unreadable(w.name, "cannot be read again", err)
	}
	if !bytes.Equal(now, before) {
		return w.changed()
	}
	return nil
}

func (w writing) changed() error {
	return (&refusal{
		reason: ReasonChanged, seen: "has changed since it was read", wanted: "the text that the edit was computed from",
		fix: "look at the plan again, then run again",
	}).in(w.name)
}

// backup stores the old text. The backup remains if a later operation fails: an error of a
// rename over a network does not prove that the file was not renamed.
func (w writing) backup(before []byte) error {
	name := BackupPath(w.target, yamltext.Digest(before))
	there, err := w.disk.ReadFile(name)
	switch {
	case err == nil && bytes.Equal(there, before):
		return nil
	case err == nil:
		return (&refusal{
			reason: ReasonBackup, seen: "holds something else than the backup that belongs there",
			wanted: "no file, or the text of " + w.name, fix: "move it away",
		}).in(name)
	case !errors.Is(err, fs.ErrNotExist):
		return (&refusal{reason: ReasonBackup, seen: "is in the way of the backup and cannot be read", wanted: "no file", fix: "move it away", err: err}).in(name)
	}
	if err := w.replace(name, before, nil); err != nil {
		return err
	}
	if err := w.disk.SyncDir(filepath.Dir(name)); err != nil {
		return w.failed("the folder cannot be synced", err)
	}
	return nil
}

// replace writes text to a file atomically, through a temporary file next to it. It calls ready
// directly before the rename.
func (w writing) replace(name string, text []byte, ready func() error) error {
	f, err := w.disk.Temp(filepath.Dir(name), w.tempPrefix(), tempSuffix)
	if err != nil {
		return w.failed("no file can be created next to it", err)
	}
	if err := w.fill(f, text); err != nil {
		return w.drop(f, err)
	}
	if ready != nil {
		if err := ready(); err != nil {
			return w.drop(f, err)
		}
	}
	if err := w.disk.Rename(f.Name(), name); err != nil {
		return w.drop(f, w.failed("the new text cannot be put in its place", err))
	}
	return nil
}

// fill always closes the file.
func (w writing) fill(f TempFile, text []byte) error {
	n, err := f.Write(text)
	if err == nil && n < len(text) {
		err = syscall.ENOSPC
	}
	if err == nil {
		err = f.Like(w.info)
	}
	if err == nil {
		err = f.Sync()
	}
	if bad := f.Close(); err == nil {
		err = bad
	}
	if err != nil {
		return w.failed("the new text cannot be written next to it", err)
	}
	return nil
}

func (w writing) drop(f TempFile, why error) error {
	if err := w.disk.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(why, err)
	}
	return why
}

func (w writing) failed(seen string, err error) *fault.Error {
	fix := "fix that, then run again"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		fix = "free space on that disk, then run again"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		fix = "make the folder writable: the backup and the new text are written there"
	}
	return (&refusal{
		reason: ReasonNotWritten, seen: seen, wanted: "room for the backup and the new text", fix: fix, err: err,
	}).in(w.name)
}
