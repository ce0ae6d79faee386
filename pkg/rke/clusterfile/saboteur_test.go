package clusterfile_test

import (
	"errors"
	"io/fs"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

var errDead = errors.New("the process was killed")

// mode describes how a disk operation is made to fail.
type mode string

const (
	nothing    mode = "nothing"
	killed     mode = "killed before it" // it and all later operations have no effect
	killedHalf mode = "killed inside it" // a write stores half of its bytes; others as killed
	fails      mode = "fails"            // once, without effect; a write stores half of its bytes
	failsAfter mode = "fails after it"   // takes effect and returns an error
	short      mode = "is short"         // a write stores half of its bytes and reports that, without an error
)

// saboteur counts operations on a real file system and makes one of them fail. See powerCut for
// effects that only a crash of the machine can have.
type saboteur struct {
	clusterfile.FS
	at     int // the operation to fail, starting at 0
	mode   mode
	err    error
	before func(op string) // called before every operation

	n    int
	dead bool
	hit  string // the operation that was made to fail
}

func (s *saboteur) step(op string, do func() error) error {
	if s.dead {
		return errDead
	}
	if s.before != nil {
		s.before(op)
	}
	now := s.n == s.at
	s.n++
	if !now || s.mode == nothing || s.mode == short {
		return do()
	}
	s.hit = op
	switch s.mode {
	case killed, killedHalf:
		s.dead = true
		return errDead
	case failsAfter:
		if err := do(); err != nil {
			return err
		}
	default: // fails, without effect
	}
	return s.err
}

func (s *saboteur) Resolve(path string) (out string, err error) {
	err = s.step("resolve", func() error { out, err = s.FS.Resolve(path); return err })
	return out, err
}

func (s *saboteur) Stat(path string) (out fs.FileInfo, err error) {
	err = s.step("stat", func() error { out, err = s.FS.Stat(path); return err })
	return out, err
}

func (s *saboteur) ReadFile(path string) (out []byte, err error) {
	err = s.step("read", func() error { out, err = s.FS.ReadFile(path); return err })
	return out, err
}

func (s *saboteur) List(dir string) (out []string, err error) {
	err = s.step("list", func() error { out, err = s.FS.List(dir); return err })
	return out, err
}

func (s *saboteur) Rename(from, to string) error {
	return s.step("rename", func() error { return s.FS.Rename(from, to) })
}

func (s *saboteur) Remove(path string) error {
	return s.step("remove", func() error { return s.FS.Remove(path) })
}

func (s *saboteur) SyncDir(dir string) error {
	return s.step("syncdir", func() error { return s.FS.SyncDir(dir) })
}

func (s *saboteur) Temp(dir, prefix, suffix string) (out clusterfile.TempFile, err error) {
	err = s.step("temp", func() error { out, err = s.FS.Temp(dir, prefix, suffix); return err })
	if err != nil {
		return nil, err
	}
	return &sabotaged{out, s}, nil
}

type sabotaged struct {
	clusterfile.TempFile
	s *saboteur
}

func (f *sabotaged) Write(b []byte) (n int, err error) {
	if f.s.n == f.s.at && !f.s.dead && f.s.mode == short {
		f.s.n++
		f.s.hit = "write"
		return f.TempFile.Write(b[:len(b)/2])
	}
	half := f.s.n == f.s.at && !f.s.dead && (f.s.mode == killedHalf || f.s.mode == fails)
	if half {
		if n, err = f.TempFile.Write(b[:len(b)/2]); err != nil {
			return n, err
		}
	}
	err = f.s.step("write", func() error { n, err = f.TempFile.Write(b); return err })
	return n, err
}

func (f *sabotaged) Like(info fs.FileInfo) error {
	return f.s.step("like", func() error { return f.TempFile.Like(info) })
}

func (f *sabotaged) Sync() error { return f.s.step("sync", f.TempFile.Sync) }

// Close always closes the real file: a killed process has no descriptors.
func (f *sabotaged) Close() error {
	err := f.TempFile.Close()
	return f.s.step("close", func() error { return err })
}
