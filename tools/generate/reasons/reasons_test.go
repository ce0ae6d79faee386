package reasons

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/docs"
)

// root is the folder of the repository.
const root = "../../.."

// Every note has a reason in the code.
func TestNotesAreOfReasons(t *testing.T) {
	all, err := reasonsBelow(root)
	if err != nil {
		t.Fatal(err)
	}
	for name := range notes() {
		if all[name] == nil {
			t.Errorf("%s is no reason", name)
		}
	}
}

// explained matches the reasons in a first cell of a table "what awsmigrate says". Text after
// "with" or a colon is the seen state.
var explained = regexp.MustCompile("(?:^ ?|, | or |warning )`([A-Z][A-Za-z]+)`")

// Every reason that a page explains is in the product.
func TestReasonsExplainedExist(t *testing.T) {
	all, err := reasonsBelow(root)
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	err = fs.WalkDir(docs.Pages, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := docs.Pages.ReadFile(file)
		for _, table := range strings.Split(string(text), "| what awsmigrate says |")[1:] {
			table, _, _ = strings.Cut(table, "\n\n")
			for line := range strings.Lines(table) {
				cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
				for _, word := range explained.FindAllStringSubmatch(cell, -1) {
					if words++; all[word[1]] == nil {
						t.Errorf("%s: nothing says %s", file, word[1])
					}
				}
			}
		}
		return err
	})
	if err != nil || words < 50 {
		t.Errorf("%d words, %v", words, err)
	}
}

func TestFaultsAreFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
const ReasonGone = "Gone"
var a = &fault.Error{Class: fault.Check, Reason: "Held", Seen: "it is " + "held", Fix: "wait"}
var b = &fault.Error{Class: fault.Stale, Reason: x.ReasonGone, Object: name, Seen: "gone: " + name}
var c = &Error{Class: Usage, Reason: "Held", Fix: "wait"}
var d = &fault.Error{Reason: "Broken"}
var e = &fault.Error{Class: class, Reason: reason}
const reasonAlone = "Alone"
func refuse(reason, seen string, fix string) error { return &fault.Error{Class: fault.Check, Reason: reason, Seen: seen, Fix: fix} }
var f = refuse("Made", "it is", fix)
var g = refuse("no word", "it is", fix)
func h(f *fault.Error) { f.Class, f.Reason = fault.Warnings, "Changed"; f.Reason, f.Fix = "Renamed", "wait"; f.Seen = "nothing" }
var causes = []cause{{words: words, reason: "Crashing", wanted: "a process", fix: "start it"}, {reason: ReasonGone}}
func i(c cause) error { return refuse(c.reason, "it ended", c.fix) }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*reason{
		"Held":   {class: []string{"Check", "Usage"}, seen: []string{"it is held"}, fix: []string{"wait"}},
		"Gone":   {class: []string{"Stale", "Check"}},
		"Broken": {class: []string{"Unexpected"}},
		"Alone":  {},
		"Made":   {class: []string{"Check"}, seen: []string{"it is"}},

		"Changed": {class: []string{"Warnings"}},
		"Renamed": {fix: []string{"wait"}},

		"Crashing": {class: []string{"Check"}, wanted: []string{"a process"}, fix: []string{"start it"}},
	}
	if diff := cmp.Diff(want, collect([]*ast.File{file}), cmp.AllowUnexported(reason{})); diff != "" {
		t.Error(diff)
	}
	if got := want["Held"].exits(); got != "2, 3" {
		t.Error(got)
	}
}
