// Package notices collects the licences of everything that is linked into a program. Their
// terms require this when the program is distributed.
//
// It knows files and modules, and judges no licence.
package notices

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Package holds the used fields of a package in `go list -deps -json`.
type Package struct {
	ImportPath string
	Dir        string
	Standard   bool
	Module     *Module
}

// Module is the module of a Package.
type Module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *Module
}

// decode parses the stream of objects that `go list -json` prints.
func decode(list io.Reader) ([]Package, error) {
	decoder := json.NewDecoder(list)
	var all []Package
	for {
		var p Package
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("decode go list's package %d: %w", len(all)+1, err)
		}
		all = append(all, p)
	}
}

// notice is one licence text with the modules that it covers.
type notice struct {
	text  string
	owner []string // "module version (file)"
}

// compose returns the whole page: every licence and notice file of the packages' modules
// once, after the modules that it covers. goroot holds the licence of Go and its standard
// library. It returns an error if a module has no such file.
func compose(packages []Package, goroot string) ([]byte, error) {
	found := map[string]*notice{}
	add := func(owner, path string) error {
		raw, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			return fmt.Errorf("read the licence of %s: %w", owner, err)
		}
		text := normal(string(raw))
		if found[text] == nil {
			found[text] = &notice{text: text}
		}
		if !slices.Contains(found[text].owner, owner) {
			found[text].owner = append(found[text].owner, owner)
		}
		return nil
	}
	if err := add("Go and its standard library", filepath.Join(goroot, "LICENSE")); err != nil {
		return nil, err
	}
	for module, folders := range folders(packages) {
		files, err := licences(module, folders)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if err := add(owner(module, file), file); err != nil {
				return nil, err
			}
		}
	}
	return page(found), nil
}

// folders returns the packages' folders by module, without the main module.
func folders(packages []Package) map[Module][]string {
	all := map[Module][]string{}
	for _, p := range packages {
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		m := *p.Module
		if m.Replace != nil {
			m = *m.Replace
		}
		all[m] = append(all[m], p.Dir)
	}
	return all
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.\-_].*)?$`)

// licences returns the licence files of a module that cover its folders: the files in a
// folder and in all folders above it. Code that a module copied from other projects has its
// licence next to it.
func licences(module Module, folders []string) ([]string, error) {
	var files []string
	looked := map[string]bool{}
	for _, folder := range folders {
		for dir := folder; strings.HasPrefix(dir, module.Dir) && !looked[dir]; dir = filepath.Dir(dir) {
			looked[dir] = true
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, fmt.Errorf("look for licences of %s: %w", module.Path, err)
			}
			for _, e := range entries {
				if e.Type().IsRegular() && filepath.Ext(e.Name()) != ".go" && licenceFile.MatchString(e.Name()) {
					files = append(files, filepath.Join(dir, e.Name()))
				}
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("module %s %s has no licence file", module.Path, module.Version)
	}
	return files, nil
}

func owner(module Module, file string) string {
	inside, err := filepath.Rel(module.Dir, file)
	if err != nil {
		inside = filepath.Base(file)
	}
	return fmt.Sprintf("%s %s (%s)", module.Path, module.Version, filepath.ToSlash(inside))
}

// normal returns a text with uniform line ends, without trailing space.
func normal(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

func page(found map[string]*notice) []byte {
	all := make([]*notice, 0, len(found))
	for _, n := range found {
		slices.Sort(n.owner)
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b *notice) int { return cmp.Compare(a.owner[0], b.owner[0]) })
	var out bytes.Buffer
	fmt.Fprintf(&out, "What is linked into awsmigrate, and under which terms. Written by `make generate`.\n")
	for _, n := range all {
		fmt.Fprintf(&out, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(n.owner, "\n"), n.text)
	}
	return out.Bytes()
}
