package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
)

// TestReasonsPageIsGenerated: what is committed is what `make generate` writes.
func TestReasonsPageIsGenerated(t *testing.T) {
	want, err := page("../../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/" + view.ReasonsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("`make generate` writes (-), committed is (+):\n%s", diff)
	}
}

// A note is for a reason that there is.
func TestNotesAreOfReasons(t *testing.T) {
	all, err := reasonsBelow("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name := range notes() {
		if all[name] == nil {
			t.Errorf("%s is no reason", name)
		}
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
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*reason{
		"Held":   {class: []string{"Check", "Usage"}, seen: []string{"it is held"}, fix: []string{"wait"}},
		"Gone":   {class: []string{"Stale"}},
		"Broken": {class: []string{"Unexpected"}},
		"Alone":  {},
		"Made":   {seen: []string{"it is"}},
	}
	if diff := cmp.Diff(want, collect([]*ast.File{file}), cmp.AllowUnexported(reason{})); diff != "" {
		t.Error(diff)
	}
	if got := want["Held"].exits(); got != "2, 3" {
		t.Error(got)
	}
}
