package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// Entry is one file or link of an archive; its path implies the folders above it.
type Entry struct {
	Path       string // relative, with slashes
	Executable bool
	Data       []byte
	Link       string // target of a symbolic link
}

// Modes holds the modes of an archive's folders and files. The umask of the builder has no
// effect.
type Modes struct{ Folder, File, Executable int64 }

// Usual returns the modes of files that people unpack. ReadOnly returns the modes of a
// read-only root file system.
func Usual() Modes { return Modes{Folder: 0o755, File: 0o644, Executable: 0o755} }

// ReadOnly returns modes without a right to write, not even for the owner.
func ReadOnly() Modes { return Modes{Folder: 0o555, File: 0o444, Executable: 0o555} }

// Tar returns an archive of the entries in the order of their paths, all of user and group 0
// and with one time.
func Tar(entries []Entry, modes Modes, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range withFolders(entries) {
		if err := w.WriteHeader(e.header(modes, at)); err != nil {
			return nil, fmt.Errorf("archive %s: %w", e.Path, err)
		}
		if _, err := w.Write(e.Data); err != nil {
			return nil, fmt.Errorf("archive %s: %w", e.Path, err)
		}
	}
	if err := w.Close(); err != nil { // writes the rest
		return nil, err
	}
	return out.Bytes(), nil
}

// TarGz returns the compressed Tar. The header of gzip has neither name nor time.
func TarGz(entries []Entry, modes Modes, at time.Time) ([]byte, error) {
	raw, err := Tar(entries, modes, at)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil { // writes the rest
		return nil, err
	}
	return out.Bytes(), nil
}

// withFolders returns the entries with all folders above them, each folder before its
// content.
func withFolders(entries []Entry) []Entry {
	all := map[string]Entry{}
	for _, e := range entries {
		all[e.Path] = e
		for dir := path.Dir(e.Path); dir != "."; dir = path.Dir(dir) {
			all[dir+"/"] = Entry{Path: dir + "/"}
		}
	}
	sorted := make([]Entry, 0, len(all))
	for _, e := range all {
		sorted = append(sorted, e)
	}
	slices.SortFunc(sorted, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return sorted
}

func (e Entry) header(modes Modes, at time.Time) *tar.Header {
	h := &tar.Header{Name: e.Path, Mode: modes.File, ModTime: at.UTC(), Size: int64(len(e.Data)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
	switch {
	case strings.HasSuffix(e.Path, "/"):
		h.Typeflag, h.Mode = tar.TypeDir, modes.Folder
	case e.Link != "":
		h.Typeflag, h.Mode, h.Linkname = tar.TypeSymlink, 0o777, e.Link
	case e.Executable:
		h.Mode = modes.Executable
	}
	return h
}
