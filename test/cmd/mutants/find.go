package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// finder collects the mutants of one file.
type finder struct {
	pkg   *pkg
	src   *source
	found []mutant
}

// mutantsOf returns all mutants of a file, including those that do not compile.
func mutantsOf(p *pkg, src *source) []mutant {
	f := &finder{pkg: p, src: src}
	for _, d := range src.tree.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			f.swapConstants(d)
			ast.Inspect(d, f.visit)
		case *ast.FuncDecl:
			if d.Body == nil || f.makesProse(d) {
				continue
			}
			f.returnEarly(d)
			ast.Inspect(d.Body, f.visit)
		}
	}
	return f.found
}

func (f *finder) visit(n ast.Node) bool {
	if f.isForPeople(n) {
		return false
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		return f.call(n)
	case *ast.IfStmt:
		f.negate(n.Cond)
		f.dropGuard(n)
	case *ast.SwitchStmt:
		f.dropCases(n.Body)
		if n.Tag == nil {
			f.negateCases(n.Body)
		}
	case *ast.TypeSwitchStmt:
		f.dropCases(n.Body)
	case *ast.BinaryExpr:
		f.swapOperator(n)
	case *ast.ReturnStmt:
		f.replaceBooleans(n)
	case *ast.AssignStmt:
		f.dropAssignment(n)
	case *ast.UnaryExpr:
		if lit, ok := n.X.(*ast.BasicLit); ok && n.Op == token.SUB {
			f.addOneTo(n, "-"+lit.Value)
			return false
		}
	case *ast.BasicLit:
		f.addOneTo(n, n.Value)
	}
	return true
}

// call visits the arguments of a call, unless they only fill a sentence.
func (f *finder) call(c *ast.CallExpr) bool {
	says := false
	for _, arg := range c.Args {
		says = says || f.isProse(arg)
	}
	if !says {
		return true
	}
	for _, arg := range c.Args {
		if lit, ok := arg.(*ast.FuncLit); ok {
			ast.Inspect(lit, f.visit)
		}
	}
	return false
}

func (f *finder) add(at ast.Node, what string, edits ...edit) {
	f.found = append(f.found, mutant{pkg: f.pkg, source: f.src, line: f.pkg.fset.Position(at.Pos()).Line, what: what, edits: edits})
}

func (f *finder) offset(p token.Pos) int { return f.pkg.fset.Position(p).Offset }

func (f *finder) text(n ast.Node) string {
	return string(f.src.text[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) replace(n ast.Node, with string) edit {
	return edit{f.offset(n.Pos()), f.offset(n.End()), with}
}

// negate skips == and !=, which another mutant swaps.
func (f *finder) negate(cond ast.Expr) {
	if b, ok := cond.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	f.add(cond, "negated a condition", f.replace(cond, "!("+f.text(cond)+")"))
}

func (f *finder) negateCases(body *ast.BlockStmt) {
	for _, s := range body.List {
		clause := s.(*ast.CaseClause)
		for _, cond := range clause.List {
			if !f.onlySetsProse(clause.Body) {
				f.negate(cond)
			}
		}
	}
}

var swapped = map[token.Token]token.Token{
	token.LAND: token.LOR, token.LOR: token.LAND, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

func (f *finder) swapOperator(b *ast.BinaryExpr) {
	if other, ok := swapped[b.Op]; ok {
		at := f.offset(b.OpPos)
		f.add(b, fmt.Sprintf("swapped %s and %s", b.Op, other), edit{at, at + len(b.Op.String()), other.String()})
	}
}

func (f *finder) replaceBooleans(r *ast.ReturnStmt) {
	for _, e := range r.Results {
		if !f.isBool(e) {
			continue
		}
		value := f.pkg.info.Types[e].Value
		for _, to := range []bool{true, false} {
			if value == nil || constant.BoolVal(value) != to {
				f.add(e, "replaced a boolean result", f.replace(e, strconv.FormatBool(to)))
			}
		}
	}
}

// dropAssignment keeps the right side, so that each variable remains used.
func (f *finder) dropAssignment(a *ast.AssignStmt) {
	if a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return
	}
	if call, ok := a.Rhs[0].(*ast.CallExpr); ok && f.builtin(call, "append") {
		f.add(a, "dropped an append", f.replace(a.Lhs[0], "_"))
	} else if _, ok := a.Lhs[0].(*ast.SelectorExpr); ok && f.pkg.info.Types[a.Rhs[0]].IsNil() {
		f.add(a, "dropped an assignment", f.replace(a, ""))
	} else if ok {
		f.add(a, "dropped an assignment", f.replace(a.Lhs[0], "_"))
	}
}

// dropGuard empties the branch but keeps its condition, which may have side effects and uses
// variables.
func (f *finder) dropGuard(s *ast.IfStmt) {
	if s.Else != nil || len(s.Body.List) != 1 {
		return
	}
	if _, ok := s.Body.List[0].(*ast.ReturnStmt); ok {
		f.add(s, "dropped a guard", f.replace(s.Body, "{}"))
	}
}

func (f *finder) dropCases(body *ast.BlockStmt) {
	fallback := false
	for _, s := range body.List {
		fallback = fallback || s.(*ast.CaseClause).List == nil
	}
	for _, s := range body.List {
		clause := s.(*ast.CaseClause)
		noop := len(clause.Body) == 0 && !fallback // the case lists a value on purpose
		if clause.List != nil && !noop && !f.onlySetsProse(clause.Body) {
			f.add(clause, "dropped a case", f.replace(clause, ""))
		}
	}
}

// returnEarly makes a function return nothing and no error at its beginning.
func (f *finder) returnEarly(d *ast.FuncDecl) {
	var zeros []string
	hasError := false
	if d.Type.Results != nil {
		for _, field := range d.Type.Results.List {
			zero := f.zero(field.Type)
			hasError = hasError || zero == "nil"
			for range max(len(field.Names), 1) {
				zeros = append(zeros, zero)
			}
		}
	}
	early := "return " + strings.Join(zeros, ", ")
	if !hasError || len(d.Body.List) == 0 || f.text(d.Body.List[0]) == early {
		return
	}
	at := f.offset(d.Body.Lbrace) + 1
	f.add(d, "returned nil early", edit{at, at, " " + early + "; "})
}

// zero returns the source text of a type's zero value.
func (f *finder) zero(t ast.Expr) string {
	of := f.pkg.info.Types[t].Type
	if _, generic := of.(*types.TypeParam); generic {
		return "*new(" + f.text(t) + ")"
	}
	switch u := of.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return "nil"
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
	}
	return "*new(" + f.text(t) + ")"
}

// addOneTo takes a minus sign as part of its number: -1 becomes 0, because -2 would often mean the
// same as -1.
func (f *finder) addOneTo(e ast.Expr, number string) {
	value, err := strconv.ParseInt(number, 0, 64)
	if err != nil {
		return // a text or not an integer
	}
	text := strconv.FormatInt(value+1, 10)
	if strings.HasPrefix(number, "0o") {
		text = fmt.Sprintf("%#o", value+1)
	}
	f.add(e, "added one", f.replace(e, text))
}

// swapConstants exchanges the texts of two neighbours in a const block.
func (f *finder) swapConstants(d *ast.GenDecl) {
	if d.Tok != token.CONST {
		return
	}
	var before *ast.BasicLit
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		if len(spec.Values) != 1 {
			continue
		}
		lit, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || f.isProse(lit) {
			continue
		}
		if before != nil && before.Value != lit.Value {
			f.add(before, "swapped "+before.Value+" and "+lit.Value, f.replace(before, lit.Value), f.replace(lit, before.Value))
		}
		before = lit
	}
}
