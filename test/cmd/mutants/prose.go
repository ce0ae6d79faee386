package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// A mutant of a sentence for people says nothing about the tests. Sentences are recognized by
// their spaces; names and keys have none.

// shown lists the fields of errors, findings and plans with texts for people. It omits Reason,
// because programs read it.
var shown = []string{"After", "Evidence", "Fix", "Message", "Object", "Seen", "Title", "WaitingFor", "Wanted", "What", "Why"}

// isSentence reports whether a text, or a part of one, is for people.
func isSentence(text string) bool {
	return strings.Contains(text, " ") && strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || strings.ContainsRune(",;:", r)
	})
}

// isProse reports whether an expression is a text that has a sentence in it.
func (f *finder) isProse(e ast.Expr) bool {
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
			found = isSentence(constant.StringVal(v))
		}
		return true
	})
	return found
}

// makesProse reports whether a function only makes sentences. A function that returns "" or starts
// with an empty list is also a verdict, so it does not count.
func (f *finder) makesProse(d *ast.FuncDecl) bool {
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
			says = says || f.isProse(n)
		case *ast.DeclStmt:
			silent = true
		case *ast.AssignStmt:
			silent = silent || slices.ContainsFunc(n.Rhs, f.isEmpty)
		case *ast.CompositeLit:
			silent = silent || len(n.Elts) == 0
		case *ast.CallExpr:
			silent = silent || f.builtin(n, "make")
		case *ast.ReturnStmt:
			silent = silent || slices.ContainsFunc(n.Results, f.isEmpty)
		}
		return true
	})
	return says && !silent
}

// isEmpty reports whether an expression is nil or "".
func (f *finder) isEmpty(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == `""` || f.pkg.info.Types[e].IsNil()
}

// onlySetsProse reports whether statements only choose a sentence.
func (f *finder) onlySetsProse(body []ast.Stmt) bool {
	for _, s := range body {
		if a, ok := s.(*ast.AssignStmt); !ok || !f.setsProse(a) {
			return false
		}
	}
	return len(body) > 0
}

// setsProse reports whether an assignment sets a sentence. To append one is more: a list that is
// not empty is often a verdict.
func (f *finder) setsProse(a *ast.AssignStmt) bool {
	for i, left := range a.Lhs {
		field, ok := left.(*ast.SelectorExpr)
		named := ok && slices.Contains(shown, field.Sel.Name) && f.isString(field)
		if !named && (len(a.Rhs) != len(a.Lhs) || !f.isProse(a.Rhs[i])) {
			return false
		}
	}
	return true
}

// choosesProse reports whether both branches of a condition are only sentences.
func (f *finder) choosesProse(s *ast.IfStmt) bool {
	if !f.onlySetsProse(s.Body.List) {
		return false
	}
	switch other := s.Else.(type) {
	case nil:
		return true
	case *ast.BlockStmt:
		return f.onlySetsProse(other.List)
	case *ast.IfStmt:
		return f.choosesProse(other)
	}
	return false
}

// isForPeople reports whether no part of a node may be mutated.
func (f *finder) isForPeople(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		return f.choosesProse(n)
	case *ast.AssignStmt:
		return f.setsProse(n)
	case *ast.KeyValueExpr:
		key, ok := n.Key.(*ast.Ident)
		return ok && slices.Contains(shown, key.Name) && f.isString(n.Value)
	case *ast.BinaryExpr:
		return f.isProse(n)
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
