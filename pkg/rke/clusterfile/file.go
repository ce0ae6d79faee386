package clusterfile

import (
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// maxSize is the maximum size in bytes, so that a log or an image is not parsed for minutes.
const maxSize = 4 << 20

// maxValues is the maximum number of values, aliases expanded. A file of 9,000 lines has
// 25,000.
const maxValues = 1 << 17

// File is a parsed cluster.yml that can be edited.
type File struct {
	doc    *yamltext.Document
	config Config
}

// Parse reads cluster.yml as rke does: it ignores unknown keys
// (rancher/rke:cluster/cluster.go@v1.5.9 ParseConfig). Messages use name. It returns a
// *fault.Error of class Usage with line and reason if the text cannot be read, or not edited
// safely. It does not validate values that no migration reads. rke rejects bad ones before it
// reaches a machine or writes its state (cmd/up.go clusterUpFromCli: ParseConfig, then
// cluster/cluster.go InitClusterObject).
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

// rke describes the program that finally reads the file.
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

// read returns an error for YAML that rke rejects.
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

// Name returns the name given to Parse or Read.
func (f *File) Name() string { return f.doc.Name() }

// Text returns the text of the file. Callers must not change it.
func (f *File) Text() []byte { return f.doc.Text() }

// Config returns the values as rke reads them.
func (f *File) Config() Config { return f.config }

// Line returns the line of a key for messages, starting at 1, or 0 if the key is missing. Of
// duplicates it returns the last, as rke does.
func (f *File) Line(path ...string) int { return f.doc.Line(path...) }

// Keys returns the top-level keys of the file, in its order.
func (f *File) Keys() []string {
	var keys []string
	for i := 0; i+1 < len(f.doc.Root().Content); i += 2 {
		keys = append(keys, f.doc.Root().Content[i].Value)
	}
	return keys
}

// Edit is a computed change of a file. It is pure; Write writes it to disk.
type Edit struct{ yamltext.Edit }

// Edit makes the changes as yamltext.Document.Edit does. rke accepts the resulting text.
func (f *File) Edit(changes ...yamltext.Change) (Edit, error) {
	e, err := f.doc.Edit(changes...)
	return Edit{e}, err
}

// Undo undoes an edit in this file, as yamltext.Document.Undo does. backup is the text before
// the edit, which ReadBackup returns.
func (f *File) Undo(r yamltext.Receipt, backup []byte) (Edit, error) {
	e, err := f.doc.Undo(r, backup)
	return Edit{e}, err
}

// WithBackup adds the path of the backup to the refusal of an undo. It returns other errors
// unchanged.
func WithBackup(err error, path string) error {
	refused, is := fault.As(err)
	if !is || refused.Reason != ReasonUndo {
		return err
	}
	named := *refused
	named.Fix += "; the text from before the edit is in " + path
	return &named
}

// Invert undoes the edit in the present file.
func (e Edit) Invert(present *File) (Edit, error) { return present.Undo(e.Receipt(), e.Before) }
