package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// apiserver is the package with which a test starts a real kube-apiserver. Tests in files that
// import it are skipped.
const apiserver = "github.com/awsmigrate/awsmigrate/internal/testing/apiserver"

// source is one file of a package.
type source struct {
	path, shown string // absolute, and relative to the module's root
	text        []byte
	tree        *ast.File
}

// pkg is a package to mutate.
type pkg struct {
	path, dir  string
	sources    []*source
	fset       *token.FileSet
	info       *types.Info
	imports    types.Importer
	above      []*pkg   // its importers of the same pattern
	tested     bool     // whether it has tests
	serverOnly []string // its tests that need a server
}

// listed holds the relevant fields of `go list -json`.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, Match                     []string
	DepOnly                            bool
}

// load reads and type-checks the packages of patterns. It resolves imports by the compiler's
// export data.
func load(ctx context.Context, root string, patterns []string) ([]*pkg, error) {
	all, err := list(ctx, root, patterns)
	if err != nil {
		return nil, err
	}
	exports, fset := map[string]string{}, token.NewFileSet()
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var packages []*pkg
	var own []listed
	for _, l := range all {
		if l.DepOnly || len(l.GoFiles) == 0 {
			continue
		}
		p := &pkg{path: l.ImportPath, dir: l.Dir, fset: fset, imports: imports}
		if err := p.read(root, l); err != nil {
			return nil, err
		}
		packages, own = append(packages, p), append(own, l)
	}
	for i, p := range packages {
		for j, other := range own {
			if slices.Contains(other.Imports, p.path) && slices.Equal(other.Match, own[i].Match) {
				p.above = append(p.above, packages[j])
			}
		}
	}
	return packages, nil
}

func list(ctx context.Context, root string, patterns []string) ([]listed, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-export",
		"-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Imports,Match,DepOnly"}, patterns...)...)
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = root, &said
	raw, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, said.Bytes())
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(raw)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

func (p *pkg) read(root string, l listed) error {
	for _, name := range l.GoFiles {
		path := filepath.Join(l.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(p.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		shown, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		p.sources = append(p.sources, &source{path: path, shown: shown, text: text, tree: tree})
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := p.check(p.info, nil, nil); err != nil {
		return err
	}
	return p.readTests(l)
}

// check type-checks the package with the given tree in place of the replaced source.
func (p *pkg) check(info *types.Info, replaced *source, tree *ast.File) error {
	files := make([]*ast.File, 0, len(p.sources))
	for _, s := range p.sources {
		if s == replaced {
			files = append(files, tree)
		} else {
			files = append(files, s.tree)
		}
	}
	_, err := (&types.Config{Importer: p.imports}).Check(p.path, p.fset, files, info)
	return err
}

func (p *pkg) readTests(l listed) error {
	for _, name := range slices.Concat(l.TestGoFiles, l.XTestGoFiles) {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.tested = true
		if !slices.ContainsFunc(tree.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+apiserver+`"` }) {
			continue
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				p.serverOnly = append(p.serverOnly, f.Name.Name)
			}
		}
	}
	return nil
}

// statements returns the number of statements in a package.
func (p *pkg) statements() int {
	n := 0
	for _, s := range p.sources {
		ast.Inspect(s.tree, func(node ast.Node) bool {
			if _, ok := node.(ast.Stmt); ok {
				n++
			}
			return true
		})
	}
	return n
}
