package clusterfile

// File is a cluster.yml that was read and can be edited.
type File struct {
	name     string
	doc      *document
	config   Config
	whole    rkeFile
	findings []Finding
}

// Parse reads cluster.yml as rke does (rancher/rke:cluster/cluster.go@v1.5.9
// ParseConfig): unknown keys are ignored. name is for messages. A text that
// cannot be read or edited safely is a *fault.Error of class Usage with the
// line and the reason.
func Parse(name string, text []byte) (*File, error) {
	d, r := load(text)
	if r != nil {
		return nil, r.in(name)
	}
	if r := d.unrendered(); r != nil {
		return nil, r.in(name)
	}
	c, whole, r := readConfig(d)
	if r != nil {
		return nil, d.orTemplate(r).in(name)
	}
	return &File{name: name, doc: d, config: c, whole: whole, findings: d.findings()}, nil
}

// Name is what Parse or Read was given.
func (f *File) Name() string { return f.name }

// Text is the text that was read. Callers must not change it.
func (f *File) Text() []byte { return f.doc.text }

// Config gives the values as rke reads them.
func (f *File) Config() Config { return f.config }

// Findings lists the keys that rke ignores, with the one that was probably meant.
// They are warnings: rke itself says nothing.
func (f *File) Findings() []Finding { return f.findings }

// Line is where a key stands, 1-based; 0 when it is not there. It is for
// messages and takes the last of duplicates, as rke does.
func (f *File) Line(path ...string) int {
	at, found := f.doc.root, 0
	for _, name := range path {
		found = 0
		for i := len(at.Content) - 2; i >= 0 && len(at.Content)%2 == 0; i -= 2 {
			if at.Content[i].Value == name {
				found, at = at.Content[i].Line, at.Content[i+1]
				break
			}
		}
		if found == 0 {
			return 0
		}
	}
	return found
}
