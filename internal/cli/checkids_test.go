package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
)

// What belongs to a check stands in the literal that declares it: no code knows it by
// its ID. Sentences may name a check, since people look it up.
func TestNoTableOfCheckIDs(t *testing.T) {
	declared, elsewhere := checkIDs(t, os.DirFS(repository))
	for _, place := range elsewhere {
		t.Errorf("%s: make it a property of verify.Meta", place)
	}
	slices.Sort(declared)
	var registered []string
	for _, meta := range target.AllChecks() {
		registered = append(registered, meta.ID)
	}
	slices.Sort(registered)
	if diff := cmp.Diff(registered, declared); diff != "" {
		t.Errorf("checks (-registered +declared):\n%s", diff)
	}
	t.Logf("counts: %d checks declared, %d IDs of checks outside their check", len(declared), len(elsewhere))
}

// Whatever form a table of IDs takes, it is found.
func TestTablesOfCheckIDsAreFound(t *testing.T) {
	for name, tt := range map[string]struct {
		code string
		want int
	}{
		"a check":             {`var c = verify.Meta{ID: "AWSM-201", Fix: "look at AWSM-301 first"}`, 0},
		"a map":               {`var m = map[string]bool{"AWSM-201": true, "AWSM-202": true}`, 2},
		"a slice":             {`func f() []string { return append(g(), "AWSM-201") }`, 1},
		"a case":              {`func f(id string) bool { switch id { case "AWSM-201": return true }; return false }`, 1},
		"a comparison":        {"func f(id string) bool { return id == `AWSM-201` }", 1},
		"several in a string": {`var s = strings.Fields("AWSM-201 AWSM-202")`, 1},
		"a prefix":            {`func f(id string) bool { return strings.HasPrefix(id, "AWSM-2") }`, 1},
		"put together":        {`func f(n int) string { return fmt.Sprintf("AWSM-%d", n) }`, 1},
		"another struct":      {`var r = verify.Recorded{ID: "AWSM-201"}`, 1},
		"another field":       {`var c = verify.Meta{ID: "AWSM-201", Category: "AWSM-202"}`, 1},
		"advice":              {`const fix = "keep the node (AWSM-401 to AWSM-405 look at it)"`, 0},
		"a comment":           {`// f leaves it to AWSM-201.`, 0},
	} {
		files := fstest.MapFS{"pkg/x/x.go": {Data: []byte("package x\n\n" + tt.code + "\n")}, "pkg/x/x_test.go": {Data: []byte("package x\n\nvar ids = []string{\"AWSM-999\"}\n")}}
		if _, elsewhere := checkIDs(t, files); len(elsewhere) != tt.want {
			t.Errorf("%s: found %q, want %d", name, elsewhere, tt.want)
		}
	}
}

var (
	someID = regexp.MustCompile(`AWSM-[0-9]*`)
	word   = regexp.MustCompile(`[A-Za-z]{2,}`)
)

// checkIDs are the IDs of checks in production code: those that a verify.Meta declares,
// and the places of all others that are no part of a sentence.
func checkIDs(t *testing.T, files fs.FS) (declared, elsewhere []string) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		top, _, _ := strings.Cut(path, "/")
		switch {
		case err != nil:
			return err
		case path != "." && !slices.Contains([]string{"cmd", "internal", "pkg"}, top):
			return skipped(entry)
		case path == "internal/testing": // what is for tests alone
			return skipped(entry)
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ids := declaredIDs(file)
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			value, err := strconv.Unquote(lit.Value)
			switch {
			case err != nil || !someID.MatchString(value):
			case ids[lit]:
				declared = append(declared, value)
			case len(word.FindAllString(someID.ReplaceAllString(value, ""), 2)) < 2:
				elsewhere = append(elsewhere, fmt.Sprintf("%s knows %s", set.Position(lit.Pos()), value))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return declared, elsewhere
}

// declaredIDs are the literals that are the ID of a verify.Meta.
func declaredIDs(file *ast.File) map[*ast.BasicLit]bool {
	ids := map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		meta, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		typ, ok := meta.Type.(*ast.SelectorExpr)
		if !ok || typ.Sel.Name != "Meta" {
			return true
		}
		if pkg, ok := typ.X.(*ast.Ident); !ok || pkg.Name != "verify" {
			return true
		}
		for _, element := range meta.Elts {
			field, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, isKey := field.Key.(*ast.Ident)
			id, isText := field.Value.(*ast.BasicLit)
			if isKey && isText && key.Name == "ID" {
				ids[id] = true
			}
		}
		return true
	})
	return ids
}

// skipped leaves out what is not production code.
func skipped(entry fs.DirEntry) error {
	if entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}
