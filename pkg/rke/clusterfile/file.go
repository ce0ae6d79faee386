package clusterfile

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// maxSize keeps a wrong file, a log or an image, from being parsed for minutes.
const maxSize = 4 << 20

// maxValues bounds the values in it, aliases expanded. A file of 9,000 lines has 25,000.
const maxValues = 1 << 17

// File is a cluster.yml that was read and can be edited.
type File struct {
	doc    *yamltext.Document
	config Config
}

// Parse reads cluster.yml as rke does (rancher/rke:cluster/cluster.go@v1.5.9
// ParseConfig): unknown keys are ignored. name is for messages. A text that
// cannot be read or edited safely is a *fault.Error of class Usage with the
// line and the reason. Values that no migration looks at are left to rke, which
// refuses them before it reaches a machine or writes its state (cmd/up.go
// clusterUpFromCli: ParseConfig, then cluster/cluster.go InitClusterObject).
func Parse(name string, text []byte) (*File, error) {
	d, err := yamltext.Parse(name, text, rke())
	if err != nil {
		return nil, err
	}
	c, err := read(d)
	if err != nil {
		return nil, err
	}
	return &File{doc: d, config: c}, nil
}

// rke is the program that reads the file in the end.
func rke() yamltext.Reader {
	return yamltext.Reader{
		Name: "rke", File: "cluster.yml", Content: "an RKE cluster configuration", Top: "a mapping with nodes and services",
		Render: "render the template, and name the result with --config", Reasons: reasons, MaxSize: maxSize, MaxValues: maxValues,
		Takes: func(d *yamltext.Document) error {
			_, err := read(d)
			return err
		},
	}
}

// read refuses what is YAML but not for rke.
func read(d *yamltext.Document) (Config, error) {
	if err := unfit(d); err != nil {
		return Config{}, err
	}
	if r := unrendered(d); r != nil {
		return Config{}, r.in(d.Name())
	}
	c, r := readConfig(d.Text())
	if r != nil {
		return Config{}, orTemplate(d, r).in(d.Name())
	}
	return c, nil
}

// Name is what Parse or Read was given.
func (f *File) Name() string { return f.doc.Name() }

// Text is the text that was read. Callers must not change it.
func (f *File) Text() []byte { return f.doc.Text() }

// Config gives the values as rke reads them.
func (f *File) Config() Config { return f.config }

// Line is where a key stands, 1-based; 0 when it is not there. It is for
// messages and takes the last of duplicates, as rke does.
func (f *File) Line(path ...string) int { return f.doc.Line(path...) }

// Edit is a computed change of a file. It is pure; Write puts it on disk.
type Edit struct{ yamltext.Edit }

// Edit computes the text in which all changes are made, as yamltext.Document.Edit
// does, and which rke takes.
func (f *File) Edit(changes ...yamltext.Change) (Edit, error) {
	e, err := f.doc.Edit(changes...)
	return Edit{e}, err
}

// Undo takes an edit back in this file, as yamltext.Document.Undo does. backup is the
// text before it, which ReadBackup gives.
func (f *File) Undo(r yamltext.Receipt, backup []byte) (Edit, error) {
	e, err := f.doc.Undo(r, backup)
	return Edit{e}, err
}

// WithBackup adds to the refusal of an undo where the text from before the edit is kept.
// Other errors are returned as they are.
func WithBackup(err error, path string) error {
	refused, is := fault.As(err)
	if !is || refused.Reason != ReasonUndo {
		return err
	}
	named := *refused
	named.Fix += "; the text from before the edit is in " + path
	return &named
}

// Invert takes the edit back in the present file.
func (e Edit) Invert(present *File) (Edit, error) { return present.Undo(e.Receipt(), e.Before) }
