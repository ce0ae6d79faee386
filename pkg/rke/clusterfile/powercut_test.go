package clusterfile_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// powerCut is a disk in memory that tracks what a crash of the machine may lose: unsynced bytes,
// and names whose folder was not synced. It has no links, owners or errors; other tests cover
// those on the real disk.
type powerCut struct {
	names  map[string]*memFile   // as the process sees them
	states []map[string]*memFile // possible names after a crash, since the last SyncDir
	serial int
	check  func(op string) // called after every operation
}

type memFile struct {
	name   string
	data   []byte
	synced []byte
	disk   *powerCut
}

func newPowerCut(path, text string) *powerCut {
	d := &powerCut{names: map[string]*memFile{}, check: func(string) {}}
	d.names[path] = &memFile{name: path, data: []byte(text), synced: []byte(text), disk: d}
	d.states = []map[string]*memFile{maps.Clone(d.names)}
	return d
}

func (d *powerCut) did(op string) { d.check(op) }

func (d *powerCut) renamed() { d.states = append(d.states, maps.Clone(d.names)) }

// afterCrash returns all texts that the file may hold after a crash now.
func (d *powerCut) afterCrash(path string) [][]byte {
	var out [][]byte
	for _, names := range d.states {
		f, ok := names[path]
		if !ok {
			out = append(out, nil)
			continue
		}
		out = append(out, f.synced)
		if !bytes.Equal(f.synced, f.data) {
			out = append(out, f.data[:len(f.data)/2], f.data)
		}
	}
	return out
}

func (d *powerCut) Resolve(path string) (string, error) { return path, nil }

func (d *powerCut) Stat(path string) (fs.FileInfo, error) {
	if f, ok := d.names[path]; ok {
		return memInfo{f}, nil
	}
	return nil, fs.ErrNotExist
}

func (d *powerCut) ReadFile(path string) ([]byte, error) {
	if f, ok := d.names[path]; ok {
		return bytes.Clone(f.data), nil
	}
	return nil, fs.ErrNotExist
}

func (d *powerCut) Temp(dir, prefix, suffix string) (clusterfile.TempFile, error) {
	d.serial++
	f := &memFile{name: filepath.Join(dir, fmt.Sprint(prefix, d.serial, suffix)), disk: d}
	d.names[f.name] = f
	d.renamed()
	d.did("temp")
	return f, nil
}

func (d *powerCut) Rename(from, to string) error {
	d.names[to] = d.names[from]
	delete(d.names, from)
	d.renamed()
	d.did("rename")
	return nil
}

func (d *powerCut) Remove(path string) error {
	delete(d.names, path)
	d.renamed()
	d.did("remove")
	return nil
}

func (d *powerCut) List(dir string) ([]string, error) {
	var out []string
	for name := range d.names {
		if filepath.Dir(name) == dir {
			out = append(out, filepath.Base(name))
		}
	}
	return out, nil
}

func (d *powerCut) SyncDir(string) error {
	d.states = []map[string]*memFile{maps.Clone(d.names)}
	d.did("syncdir")
	return nil
}

func (f *memFile) Name() string { return f.name }

func (f *memFile) Write(b []byte) (int, error) {
	f.data = append(f.data, b...)
	f.disk.did("write")
	return len(b), nil
}

func (f *memFile) Like(fs.FileInfo) error { return nil }

func (f *memFile) Sync() error {
	f.synced = bytes.Clone(f.data)
	f.disk.did("sync")
	return nil
}

func (f *memFile) Close() error { return nil }

type memInfo struct{ f *memFile }

func (i memInfo) Name() string       { return filepath.Base(i.f.name) }
func (i memInfo) Size() int64        { return int64(len(i.f.data)) }
func (i memInfo) Mode() fs.FileMode  { return 0o600 }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return false }
func (i memInfo) Sys() any           { return nil }

// After a power cut at any operation, the file holds the old or the new text. If it may hold the
// new one, the backup holds the old one.
func TestPowerCut(t *testing.T) {
	const path = "/etc/rke/cluster.yml"
	disk := newPowerCut(path, withAWS)
	f, err := clusterfile.ReadFrom(disk, path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Edit(switchTo(yamltext.Made{})...)
	if err != nil {
		t.Fatal(err)
	}
	var ops []string
	disk.check = func(op string) {
		ops = append(ops, op)
		for _, text := range disk.afterCrash(path) {
			isNew := bytes.Equal(text, e.After)
			if !isNew && !bytes.Equal(text, e.Before) {
				t.Errorf("after %v: the file may hold %q", ops, text)
			}
			for _, backup := range disk.afterCrash(clusterfile.BackupPath(path, e.Receipt().Before)) {
				if isNew && !bytes.Equal(backup, e.Before) {
					t.Errorf("after %v: the new text, and the backup may hold %q", ops, backup)
				}
			}
		}
	}
	if err := e.Write(disk, path); err != nil {
		t.Fatal(err)
	}
	const want = "temp write sync rename syncdir temp write sync rename syncdir"
	if got := strings.Join(ops, " "); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
	if after := disk.afterCrash(path); len(after) != 1 || !bytes.Equal(after[0], e.After) {
		t.Errorf("a finished write may be lost: %q", after)
	}
}
