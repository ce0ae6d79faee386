package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

const (
	kinds       = "pkg/apis/awsmigrate.io/v1alpha1"
	definitions = "charts/awsmigrate-crd/templates"
)

// copiesAndDefinitions adds the output of controller-gen for the markers: DeepCopy next to
// the types, and the CustomResourceDefinitions.
func copiesAndDefinitions(files map[string][]byte) error {
	noVersion := true
	var copies genall.Generator = deepcopy.Generator{}
	var schemas genall.Generator = crd.Generator{OmitToolVersion: &noVersion} // go.mod has it
	runtime, err := genall.Generators{&copies, &schemas}.ForRoots("./" + kinds)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	runtime.OutputRules = genall.OutputRules{Default: into{files, definitions}}
	runtime.ErrorWriter = &said
	if runtime.Run() {
		return errors.New("controller-gen: " + said.String())
	}
	return nil
}

// into stores generated files: code next to its package, anything else in a folder.
type into struct {
	files  map[string][]byte
	folder string
}

// Open implements genall.OutputRule.
func (o into) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	folder := o.folder
	if pkg != nil {
		folder = kinds
	}
	return &file{path: filepath.Join(folder, name), files: o.files}, nil
}

// file is stored when it is closed.
type file struct {
	bytes.Buffer
	path  string
	files map[string][]byte
}

// Close implements io.Closer.
func (f *file) Close() error {
	f.files[f.path] = f.Bytes()
	return nil
}
