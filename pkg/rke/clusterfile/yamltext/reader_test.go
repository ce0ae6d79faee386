package yamltext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile/yamltext"
)

// Neither an edit nor its undo returns a text that the reader rejects.
func TestEdit_readerRejectsResult_refused(t *testing.T) {
	no := errors.New("not these")
	choosy := reader()
	choosy.Takes = func(d *yamltext.Document) error {
		text := string(d.Text())
		if strings.Contains(text, "b: 3") || strings.Contains(text, "b: 1") && strings.Contains(text, "c: 1") {
			return no
		}
		return nil
	}
	before, err := yamltext.Parse("x.yml", []byte("a: 1\nb: 1\n"), choosy)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := before.Edit(yamltext.Set("3", yamltext.Plain, "b")); !errors.Is(err, no) || e.After != nil {
		t.Errorf("an edit: %v\n%s", err, e.After)
	}
	done, err := before.Edit(yamltext.Set("2", yamltext.Plain, "b"))
	if err != nil {
		t.Fatal(err)
	}
	later, err := yamltext.Parse("x.yml", append(done.After, "c: 1\n"...), choosy)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := done.Invert(later); !errors.Is(err, no) || e.After != nil {
		t.Errorf("an undo: %v\n%s", err, e.After)
	}
}

func TestParse_reader_namedInMessages(t *testing.T) {
	words := yamltext.Reader{Name: "prog", File: "conf", Content: "settings", Top: "a mapping of settings", Render: "run make", Reasons: "Conf", MaxSize: 50}
	for text, want := range map[string]string{
		"":                               "ConfEmpty: x: is empty; wanted settings",
		"- a\n":                          "ConfWrongKind: x:1: begins with a list; wanted a mapping of settings",
		"a: b\n---\nc: d\n":              "ConfSeveralDocuments: x:2: a second YAML document begins here; wanted one document: prog ignores all but the first",
		"a: {{ b }}\n":                   "ConfTemplate: x:1: a template marker: a: {{ b }}; wanted the rendered conf that prog is given; run make",
		"a: [\n":                         "ConfNotYAML: x:1: is not YAML; wanted a file that prog can read",
		"a: " + strings.Repeat("b", 100): "ConfNotYAML: x: is 103 bytes long; wanted a conf of at most 50 bytes",
		"b: 1\nb: 2\n":                   "ConfDuplicateKey: x:2: b a second time, after line 1; wanted each key once: of two, prog merges some and drops others; merge the two by hand",
	} {
		d, err := yamltext.Parse("x", []byte(text), words)
		if err == nil {
			_, err = d.Edit(yamltext.Delete("b"))
		}
		if bad, is := fault.As(err); !is || bad.Class != fault.Usage || !strings.HasPrefix(bad.Reason+": "+bad.Error(), want) {
			t.Errorf("%q: %v\nwanted %s", text, err, want)
		}
	}
}
