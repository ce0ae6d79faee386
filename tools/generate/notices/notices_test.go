package notices

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files into a new folder and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCompose(t *testing.T) {
	root := tree(t, map[string]string{
		"go/LICENSE":              "the Go licence",
		"a/LICENSE":               "shared terms\r\n",
		"a/LICENSE.go":            "package a",
		"a/pkg/x.go":              "package pkg",
		"a/third_party/b/COPYING": "terms of b",
		"a/third_party/b/x.go":    "package b",
		"a/unused/LICENSE":        "terms of an unused package",
		"c/licence.md":            "shared terms",
		"c/NOTICE":                "c says thanks",
		"main/LICENSE":            "our own",
	})
	at := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	a, c := &Module{Path: "example.org/a", Version: "v1.0.0", Dir: at("a")}, &Module{Path: "example.org/c", Version: "v2.0.0", Dir: at("c")}
	packages := []Package{
		{ImportPath: "fmt", Dir: at("go", "src"), Standard: true},
		{ImportPath: "main", Dir: at("main"), Module: &Module{Path: "main", Dir: at("main"), Main: true}},
		{ImportPath: "example.org/a/pkg", Dir: at("a", "pkg"), Module: a},
		{ImportPath: "example.org/a/third_party/b", Dir: at("a", "third_party", "b"), Module: a},
		{ImportPath: "example.org/c", Dir: at("c"), Module: &Module{Path: "example.org/old", Replace: c}},
	}
	text, err := compose(packages, at("go"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{
		"Go and its standard library\n\nthe Go licence\n",
		"example.org/a v1.0.0 (LICENSE)\nexample.org/c v2.0.0 (licence.md)\n\nshared terms\n",
		"example.org/a v1.0.0 (third_party/b/COPYING)\n\nterms of b\n",
		"example.org/c v2.0.0 (NOTICE)\n\nc says thanks\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for _, not := range []string{"our own", "not linked", "package a"} {
		if strings.Contains(page, not) {
			t.Errorf("%q in\n%s", not, page)
		}
	}
	if os.Remove(at("c", "NOTICE")) != nil || os.Remove(at("c", "licence.md")) != nil {
		t.Fatal("remove c's licences")
	}
	if _, err := compose(packages, at("go")); err == nil || !strings.Contains(err.Error(), "example.org/c v2.0.0 has no licence file") {
		t.Errorf("a module without a licence: %v", err)
	}
}

func TestDecode(t *testing.T) {
	got, err := decode(strings.NewReader(`{"ImportPath":"a"} {"ImportPath":"b","Standard":true}`))
	if err != nil || len(got) != 2 || got[1].ImportPath != "b" || !got[1].Standard {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := decode(strings.NewReader(`{"ImportPath":"a"} {`)); err == nil || !strings.Contains(err.Error(), "package 2") {
		t.Errorf("a list that breaks off: %v", err)
	}
}
