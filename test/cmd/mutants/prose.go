package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// A mutant that only changes a sentence for people says nothing about the tests. What
// only makes sentences is told by its form: sentences have spaces, names and keys do not.

// shown are the fields of errors, findings and plans whose texts people read. Reason is
// not among them: programs read it.
var shown = []string{"After", "Evidence", "Fix", "Message", "Object", "Seen", "Title", "WaitingFor", "Wanted", "What", "Why"}

// sentence says whether a text is for people, or a part of one that is.
func sentence(text string) bool {
	return strings.Contains(text, " ") && strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || strings.ContainsRune(",;:", r)
	})
}

// prose says whether an expression is a text that has a sentence in it.
func (f *finder) prose(e ast.Expr) bool {
	if !f.isString(e) {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || found {
			return !found
		}
		if _, inner := x.(*ast.FuncLit); inner || f.isBool(x) {
			return false
		}
		if v := f.pkg.info.Types[x].Value; v != nil && v.Kind() == constant.String {
			found = sentence(constant.StringVal(v))
		}
		return true
	})
	return found
}

// speaks says whether a function makes only sentences. One that returns "" or begins
// with an empty list is a verdict too, by whether it says anything at all.
func (f *finder) speaks(d *ast.FuncDecl) bool {
	if d.Recv != nil && (d.Name.Name == "String" || d.Name.Name == "Error") {
		return true
	}
	results := d.Type.Results
	if results.NumFields() != 1 {
		return false
	}
	t := f.pkg.info.Types[results.List[0].Type].Type
	if s, ok := t.(*types.Slice); ok {
		t = s.Elem()
	}
	if t != types.Typ[types.String] {
		return false
	}
	says, silent := false, false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			says = says || f.prose(n)
		case *ast.DeclStmt:
			silent = true
		case *ast.AssignStmt:
			silent = silent || slices.ContainsFunc(n.Rhs, f.nothing)
		case *ast.CompositeLit:
			silent = silent || len(n.Elts) == 0
		case *ast.CallExpr:
			silent = silent || f.builtin(n, "make")
		case *ast.ReturnStmt:
			silent = silent || slices.ContainsFunc(n.Results, f.nothing)
		}
		return true
	})
	return says && !silent
}

// nothing says whether an expression is nil or "".
func (f *finder) nothing(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == `""` || f.pkg.info.Types[e].IsNil()
}

// onlyWords says whether statements do nothing but choose a sentence.
func (f *finder) onlyWords(body []ast.Stmt) bool {
	for _, s := range body {
		if a, ok := s.(*ast.AssignStmt); !ok || !f.words(a) {
			return false
		}
	}
	return len(body) > 0
}

// words says whether an assignment is of a sentence. To append one is more: a list that
// is not empty is often a verdict.
func (f *finder) words(a *ast.AssignStmt) bool {
	for i, left := range a.Lhs {
		field, ok := left.(*ast.SelectorExpr)
		named := ok && slices.Contains(shown, field.Sel.Name) && f.isString(field)
		if !named && (len(a.Rhs) != len(a.Lhs) || !f.prose(a.Rhs[i])) {
			return false
		}
	}
	return true
}

// choosesWords says whether both branches of a condition are sentences only.
func (f *finder) choosesWords(s *ast.IfStmt) bool {
	if !f.onlyWords(s.Body.List) {
		return false
	}
	switch other := s.Else.(type) {
	case nil:
		return true
	case *ast.BlockStmt:
		return f.onlyWords(other.List)
	case *ast.IfStmt:
		return f.choosesWords(other)
	}
	return false
}

// forPeople says whether nothing within a node is to be changed.
func (f *finder) forPeople(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		return f.choosesWords(n)
	case *ast.AssignStmt:
		return f.words(n)
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		return ok && slices.Contains(shown, key.Name) && f.isString(n.Value)
	case *ast.BinaryExpr:
		return f.prose(n)
	}
	return false
}

func (f *finder) isString(e ast.Expr) bool { return f.is(e, types.IsString) }
func (f *finder) isBool(e ast.Expr) bool   { return f.is(e, types.IsBoolean) }

func (f *finder) is(e ast.Expr, kind types.BasicInfo) bool {
	t := f.pkg.info.Types[e].Type
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&kind != 0
}

func (f *finder) builtin(call *ast.CallExpr, name string) bool {
	called, ok := call.Fun.(*ast.Ident)
	return ok && called.Name == name && f.pkg.info.Types[called].IsBuiltin()
}
