package fault

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Reasons are a public field, and a word in a message of another package. What code
// decides by has a constant, and nothing writes the word of a constant out: who
// renames the one would else turn the other's decision silently.
func TestCodeDecidesByNoLiteralReason(t *testing.T) {
	set := token.NewFileSet()
	files := sources(t, set)
	given, named := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			for _, reason := range reasonsGiven(n) {
				given[reason] = true
			}
			for _, reason := range reasonsNamed(n) {
				named[reason] = true
			}
			return true
		})
	}
	if !given["NotAtRest"] || !named[ReasonUnauthorized] {
		t.Fatalf("no reasons are found: %d given, %d named", len(given), len(named))
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if value, is := n.(*ast.GenDecl); is && value.Tok == token.CONST {
				return false
			}
			for _, reason := range reasonsCompared(n) {
				if given[reason] || named[reason] {
					t.Errorf("%s: decides by the literal %q: name it once", set.Position(n.Pos()), reason)
				}
			}
			if text, is := literal(n); is && named[text] {
				t.Errorf("%s: %q has a constant", set.Position(n.Pos()), text)
			}
			return true
		})
	}
}

func sources(t *testing.T, set *token.FileSet) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, root := range []string{"../../pkg", "../../internal/cli", "../../internal/session"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			files = append(files, file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// reasonsGiven are literals that become the reason of a fault.
func reasonsGiven(n ast.Node) []string {
	of, is := n.(*ast.CompositeLit)
	if !is || nameOf(of.Type) != "Error" {
		return nil
	}
	var all []string
	for _, element := range of.Elts {
		if pair, is := element.(*ast.KeyValueExpr); is && nameOf(pair.Key) == "Reason" {
			all = append(all, literals(pair.Value)...)
		}
	}
	return all
}

// reasonsNamed are the values of constants for reasons.
func reasonsNamed(n ast.Node) []string {
	spec, is := n.(*ast.ValueSpec)
	if !is {
		return nil
	}
	var all []string
	for i, name := range spec.Names {
		if strings.HasPrefix(strings.ToLower(name.Name), "reason") && i < len(spec.Values) {
			all = append(all, literals(spec.Values[i])...)
		}
	}
	return all
}

// reasonsCompared are literals that a decision compares reasons with.
func reasonsCompared(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if (n.Op == token.EQL || n.Op == token.NEQ) && (nameOf(n.X) == "Reason" || nameOf(n.Y) == "Reason") {
			return literals(n.X, n.Y)
		}
	case *ast.CallExpr:
		if nameOf(n.Fun) == "HasReason" {
			return literals(n.Args...)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil || nameOf(n.Tag) != "Reason" {
			return nil
		}
		var all []string
		for _, clause := range n.Body.List {
			all = append(all, literals(clause.(*ast.CaseClause).List...)...)
		}
		return all
	}
	return nil
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func literals(all ...ast.Expr) []string {
	var texts []string
	for _, e := range all {
		if text, is := literal(e); is {
			texts = append(texts, text)
		}
	}
	return texts
}

func literal(n ast.Node) (string, bool) {
	e, is := n.(*ast.BasicLit)
	if !is || e.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(e.Value)
	return text, err == nil
}
