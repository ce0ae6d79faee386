package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// gateFiles returns the folders that register feature gates, by module.
func gateFolders() map[string][]string {
	return map[string][]string{
		"k8s.io/kubernetes":              {"pkg/features"},
		"k8s.io/apiserver":               {"pkg/features"},
		"k8s.io/apiextensions-apiserver": {"pkg/features"},
		"k8s.io/kube-aggregator":         {"pkg/features"},
		"k8s.io/client-go":               {"features"},
		"k8s.io/cloud-provider":          {"."},
		"k8s.io/component-base":          {"."},
		"k8s.io/controller-manager":      {"."},
		"k8s.io/kubelet":                 {"."},
	}
}

// gateReader reads feature gates from source, without building it.
type gateReader struct {
	minor int
	names map[string]string // constant to gate
	specs map[string]gateSpec
	needs map[string][]string
}

// sourceGates returns the gates of a Kubernetes version as its source declares them. AllAlpha
// and AllBeta are not declared there.
func sourceGates(b *builder) (map[string]gateSpec, error) {
	minor, err := strconv.Atoi(strings.Split(b.version, ".")[1])
	if err != nil {
		return nil, err
	}
	r := gateReader{minor: minor, names: map[string]string{}, specs: map[string]gateSpec{}, needs: map[string][]string{}}
	var files []*ast.File
	for module, folders := range gateFolders() {
		version := b.stagedAt(module)
		if version == "" {
			continue // not a staging module of this version
		}
		m, err := b.download(module, version)
		if err != nil {
			return nil, err
		}
		for _, folder := range folders {
			found, err := parseFolder(filepath.Join(m.Dir, folder))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	for _, f := range files {
		r.readConstants(f)
	}
	for _, f := range files {
		ast.Inspect(f, r.readMap)
	}
	for gate, spec := range r.specs {
		spec.Needs = strings.Join(slices.Sorted(slices.Values(r.needs[gate])), " ")
		r.specs[gate] = spec
	}
	return r.specs, nil
}

// parseFolder parses the files that mention feature gates, with those of its subfolders.
func parseFolder(root string) ([]*ast.File, error) {
	var files []*ast.File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err == nil {
			files = append(files, f)
		}
		return err
	})
	return files, err
}

// readConstants collects the constants that are texts.
func (r gateReader) readConstants(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok || len(v.Values) != len(v.Names) || v.Type != nil && !strings.HasSuffix(nameOf(v.Type), "Feature") {
				continue
			}
			for i, name := range v.Names {
				value := v.Values[i]
				if call, ok := value.(*ast.CallExpr); ok && len(call.Args) == 1 && nameOf(call.Fun) == "Feature" {
					value = call.Args[0]
				}
				if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING && (v.Type != nil || r.names[name.Name] == "") {
					r.names[name.Name] = strings.Trim(lit.Value, "`\"")
				}
			}
		}
	}
}

// readMap collects the specifications of a map from gates.
func (r gateReader) readMap(n ast.Node) bool {
	lit, ok := n.(*ast.CompositeLit)
	if !ok {
		return true
	}
	m, ok := lit.Type.(*ast.MapType)
	if !ok {
		return true
	}
	if list, ok := m.Value.(*ast.ArrayType); ok && nameOf(list.Elt) == "Feature" {
		r.readNeeds(lit)
		return false
	}
	kind := nameOf(m.Value)
	if kind != "FeatureSpec" && kind != "VersionedSpecs" {
		return true
	}
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		name, known := r.names[nameOf(pair.Key)]
		value, ok := pair.Value.(*ast.CompositeLit)
		if !known || !ok {
			continue
		}
		if kind == "VersionedSpecs" {
			value = r.newest(value)
		}
		if value != nil {
			r.specs[name] = specOf(value)
		}
	}
	return false
}

// readNeeds collects the gates that others need.
func (r gateReader) readNeeds(lit *ast.CompositeLit) {
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		list, ok := pair.Value.(*ast.CompositeLit)
		if !ok {
			continue
		}
		gate := r.names[nameOf(pair.Key)]
		for _, need := range list.Elts {
			if name := r.names[nameOf(need)]; name != "" {
				r.needs[gate] = append(r.needs[gate], name)
			}
		}
	}
}

// newest returns the specification in force in the minor, or nil.
func (r gateReader) newest(list *ast.CompositeLit) *ast.CompositeLit {
	var found *ast.CompositeLit
	for _, e := range list.Elts {
		spec, ok := e.(*ast.CompositeLit)
		if !ok {
			continue
		}
		if call, ok := fieldOf(spec, "Version").(*ast.CallExpr); ok && len(call.Args) == 1 {
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				continue
			}
			_, minor, _ := strings.Cut(strings.Trim(lit.Value, `"`), ".")
			if n, err := strconv.Atoi(minor); err != nil || n > r.minor {
				continue
			}
		}
		found = spec
	}
	return found
}

func specOf(lit *ast.CompositeLit) gateSpec {
	s := gateSpec{Stage: strings.ToLower(nameOf(fieldOf(lit, "PreRelease"))), On: nameOf(fieldOf(lit, "Default")) == "true",
		Locked: nameOf(fieldOf(lit, "LockToDefault")) == "true"}
	if s.Stage == "" {
		s.Stage = "ga"
	}
	return s
}

func fieldOf(lit *ast.CompositeLit, name string) ast.Expr {
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && nameOf(pair.Key) == name {
			return pair.Value
		}
	}
	return nil
}

// nameOf returns the last identifier of an expression, or "".
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.CallExpr: // a conversion
		if len(e.Args) == 1 {
			return nameOf(e.Args[0])
		}
	}
	return ""
}
