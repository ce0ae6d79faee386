package sim

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

// file is one file of the machine that rke runs on.
type file struct {
	text string
	mode fs.FileMode
}

// disk is the folder of cluster.yml as a process sees it. Each operation is a call that can fail
// or be the last. Missing: the loss of unsynced data by a power cut (pkg/rke/clusterfile tests
// that), links, owners.
type disk struct{ p *Process }

var _ clusterfile.FS = disk{}

func (d disk) do(verb, path string, writes bool, f func(r *rkeState) error) error {
	pass(latency)
	w := d.p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.advance(w.clock())
	seen, outcome := d.p.begin(Call{Writes: writes, Verb: verb, Server: "file", Path: path})
	switch outcome {
	case Kill:
		d.p.kill()
		return ErrKilled
	case Lose, Away, Internal, Busy, Conflict, Torn, Hang:
		return &fs.PathError{Op: verb, Path: path, Err: syscall.EIO}
	case Denied, Stranger:
		return &fs.PathError{Op: verb, Path: path, Err: syscall.ENOSPC}
	case Absent:
		return &fs.PathError{Op: verb, Path: path, Err: syscall.ENOENT}
	case Pass, LoseReply, KillAfter: // the operation takes effect first
	}
	err := f(w.rke)
	if writes {
		w.down.changes++
	}
	if d.p.After != nil {
		d.p.After(seen)
	}
	switch outcome {
	case KillAfter:
		d.p.kill()
		return ErrKilled
	case LoseReply:
		return &fs.PathError{Op: verb, Path: path, Err: syscall.EIO}
	default:
		return err
	}
}

func missingError(verb, path string) error {
	return &fs.PathError{Op: verb, Path: path, Err: syscall.ENOENT}
}

// Resolve implements clusterfile.FS.
func (d disk) Resolve(path string) (string, error) {
	_, err := d.Stat(path)
	return path, err
}

// Stat implements clusterfile.FS.
func (d disk) Stat(path string) (info fs.FileInfo, err error) {
	err = d.do("stat", path, false, func(r *rkeState) error {
		f, ok := r.disk[path]
		if !ok {
			return missingError("stat", path)
		}
		info = fileInfo{filepath.Base(path), f}
		return nil
	})
	return info, err
}

// ReadFile implements clusterfile.FS.
func (d disk) ReadFile(path string) (text []byte, err error) {
	err = d.do("read", path, false, func(r *rkeState) error {
		f, ok := r.disk[path]
		if !ok {
			return missingError("open", path)
		}
		text = []byte(f.text)
		return nil
	})
	return text, err
}

// Temp implements clusterfile.FS.
func (d disk) Temp(dir, prefix, suffix string) (clusterfile.TempFile, error) {
	t := &temp{d: d}
	err := d.do("create", dir+"/"+prefix+suffix, true, func(r *rkeState) error {
		r.temp++
		t.name = fmt.Sprintf("%s/%s%d%s", dir, prefix, r.temp, suffix)
		r.disk[t.name] = file{mode: 0o600}
		return nil
	})
	return t, err
}

// Rename implements clusterfile.FS.
func (d disk) Rename(from, to string) error {
	return d.do("rename", to, true, func(r *rkeState) error {
		f, ok := r.disk[from]
		if !ok {
			return missingError("rename", from)
		}
		r.disk[to] = f
		delete(r.disk, from)
		return nil
	})
}

// Remove implements clusterfile.FS.
func (d disk) Remove(path string) error {
	return d.do("remove", path, true, func(r *rkeState) error {
		if _, ok := r.disk[path]; !ok {
			return missingError("remove", path)
		}
		delete(r.disk, path)
		return nil
	})
}

// List implements clusterfile.FS.
func (d disk) List(dir string) (names []string, err error) {
	err = d.do("list", dir, false, func(r *rkeState) error {
		for path := range r.disk {
			if name, ok := strings.CutPrefix(path, dir+"/"); ok {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return nil
	})
	return names, err
}

// SyncDir implements clusterfile.FS.
func (d disk) SyncDir(dir string) error {
	return d.do("sync", dir, true, func(*rkeState) error { return nil })
}

type temp struct {
	d    disk
	name string
}

func (t *temp) change(verb string, f func(file) file) error {
	return t.d.do(verb, "temporary file", true, func(r *rkeState) error {
		r.disk[t.name] = f(r.disk[t.name])
		return nil
	})
}

// Write implements io.Writer.
func (t *temp) Write(p []byte) (int, error) {
	err := t.change("write", func(f file) file { f.text += string(p); return f })
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Name implements clusterfile.TempFile.
func (t *temp) Name() string { return t.name }

// Like implements clusterfile.TempFile.
func (t *temp) Like(info fs.FileInfo) error {
	return t.change("chmod", func(f file) file { f.mode = info.Mode().Perm(); return f })
}

// Sync implements clusterfile.TempFile.
func (t *temp) Sync() error { return t.change("sync", func(f file) file { return f }) }

// Close implements clusterfile.TempFile.
func (t *temp) Close() error { return t.change("close", func(f file) file { return f }) }

type fileInfo struct {
	name string
	f    file
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return int64(len(i.f.text)) }
func (i fileInfo) Mode() fs.FileMode  { return i.f.mode }
func (i fileInfo) ModTime() time.Time { return epoch }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }
