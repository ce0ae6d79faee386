package fault

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tool begins a command in a text, and what stands behind it is part of one.
var tool = regexp.MustCompile(`(?:^|[:;] |` + "`" + `)(?:kubectl|helm (?:-n|uninstall)|aws (?:ec2|iam)|awsmigrate (?:rke2?|status|undo)|rke (?:up|util|etcd)) .*$`)

// No text is put together with a value into a command: Command alone does that, since
// it quotes. Constants may be joined.
func TestCommandsAreComposedInOnePlace(t *testing.T) {
	files := 0
	for _, root := range []string{"../../pkg", "../../internal"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if composed(n) {
					t.Errorf("%s: a command is put together; fault.Command does that", set.Position(n.Pos()))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("%d files were read", files)
	}
}

// composed says whether n adds a value to the text of a command, or formats one into it.
func composed(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		text, is := lastText(n.X)
		_, constant := n.Y.(*ast.BasicLit)
		return n.Op == token.ADD && is && !constant && !isConstant(n.Y) && tool.MatchString(text)
	case *ast.CallExpr:
		for _, arg := range n.Args {
			literal, is := arg.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING || !strings.HasSuffix(called(n), "f") {
				continue
			}
			text, _ := strconv.Unquote(literal.Value)
			if found := tool.FindString(text); strings.Contains(found, "%") {
				return true
			}
		}
	}
	return false
}

// lastText is the literal that a sum ends with.
func lastText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, _ := lastText(e.X)
		right, is := lastText(e.Y)
		return left + right, is
	}
	return "", false
}

// isConstant says whether an expression is the name of one: they are written with a
// capital here, or belong to another package.
func isConstant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return ast.IsExported(e.Name)
	case *ast.SelectorExpr:
		x, is := e.X.(*ast.Ident)
		return is && (x.Name == "wellknown" || x.Name == "downstream")
	case *ast.BinaryExpr:
		return isConstant(e.X)
	case *ast.BasicLit:
		return true
	}
	return false
}

func called(n *ast.CallExpr) string {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}
