package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/awsmigrate/awsmigrate/tools/release/internal/pack"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/seal"
	"github.com/awsmigrate/awsmigrate/tools/release/internal/source"
)

// The name of a release, and its addresses.
const (
	program = "awsmigrate"
	module  = "github.com/awsmigrate/awsmigrate"
	home    = "https://" + module
	licence = "Apache-2.0"
	about   = "Moves Rancher clusters from the in-tree AWS cloud provider to the external one"
)

// options describes the requested release.
type options struct {
	repository, out, key, tags string
	version                    pack.Version
	platforms                  []pack.Platform
	env                        []string
	say                        func(string)
}

// release holds the state of a release that is being made.
type release struct {
	options
	copy     string // of the commit
	commit   source.Commit
	binaries map[pack.Platform]binary
}

type binary struct {
	data []byte
	info *debug.BuildInfo
}

// build makes a release. It writes the list of checksums last: a folder without one is a
// failed release.
func build(ctx context.Context, o options) (err error) {
	if err := emptyFolder(o.out); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "awsmigrate-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	r := release{options: o, copy: filepath.Join(work, "source"), binaries: map[pack.Platform]binary{}}
	if r.commit, err = source.Checkout(ctx, o.repository, r.copy, o.version.String(), o.env); err != nil {
		return err
	}
	r.say(fmt.Sprintf("%s of commit %s, %s", o.version, r.commit.Hash, r.commit.Time.Format("2006-01-02T15:04:05Z")))
	steps := []func(context.Context) error{
		r.notes, // fails before anything is built if the changelog lacks an entry
		func(ctx context.Context) error { return r.compile(ctx, work) },
		r.archives, r.imageAndCharts, r.seal,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// emptyFolder creates a folder, and returns an error if it is not empty.
func emptyFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: remove it, or name another folder", path)
	}
	return nil
}

func (r release) notes(ctx context.Context) error {
	const changelog = "CHANGELOG.md"
	text, err := r.read(changelog)
	if err != nil {
		return err
	}
	notes, err := pack.Notes(changelog, string(text), r.version)
	if err != nil {
		return err
	}
	goVersion, err := source.GoVersion(ctx, r.env)
	if err != nil {
		return err
	}
	return r.write("release-notes.md", []byte(pack.NotesPage(notes, r.version, r.commit.Hash, goVersion)))
}

func (r release) compile(ctx context.Context, work string) error {
	p := source.Program{Dir: r.copy, Package: "./cmd/" + program, Version: r.version.String(), Tags: r.tags, Env: r.env}
	for _, platform := range r.platforms {
		r.say("building for " + platform.String())
		out := filepath.Join(work, platform.String())
		info, err := p.Build(ctx, platform, out)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		r.binaries[platform] = binary{data: data, info: info}
	}
	return nil
}

// seal writes the checksums of everything and, with a key, their signature.
func (r release) seal(context.Context) error {
	sums, err := seal.List(os.DirFS(r.out))
	if err != nil {
		return err
	}
	list := seal.Format(sums)
	if r.key != "" {
		key, err := os.ReadFile(r.key)
		if err != nil {
			return err
		}
		signed, err := seal.Sign(list, key, r.password)
		if err != nil {
			return err
		}
		if err := r.write(seal.SignatureFile, signed); err != nil {
			return err
		}
	}
	if err := r.write(seal.ListFile, list); err != nil {
		return err
	}
	r.say(fmt.Sprintf("%d files in %s; SHA-256 of %s: %s", len(sums), r.out, seal.ListFile, pack.Digest(list)))
	return nil
}

func (r release) password() []byte {
	for _, variable := range r.env {
		if value, found := strings.CutPrefix(variable, passwordVariable+"="); found {
			return []byte(value)
		}
	}
	return nil
}

// read returns a file of the commit.
func (r release) read(path string) ([]byte, error) { return os.ReadFile(filepath.Join(r.copy, path)) }

func (r release) write(name string, data []byte) error {
	into, err := os.OpenRoot(r.out)
	if err != nil {
		return err
	}
	return errors.Join(into.WriteFile(name, data, 0o644), into.Close())
}
